import { hashFunctionByName, sha256Code } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import type { DirectorySizeEstimation, ImportProfile, ImportSettings } from '../unixfs/settings.js'
import { profiles } from './profiles.js'
import type { JsonObject } from './schema.js'

/** Kubo's values where the configuration has none (Kubo, `config/import.go`). */
const defaults = {
  CidVersion: 0,
  HashFunction: 'sha2-256',
  UnixFSChunker: 'size-262144',
  UnixFSDAGLayout: 'balanced',
  UnixFSDirectoryMaxLinks: 0,
  UnixFSFileMaxLinks: 174,
  UnixFSHAMTDirectoryMaxFanout: 256,
  UnixFSHAMTDirectorySizeEstimation: 'links',
  UnixFSHAMTDirectorySizeThreshold: 262_144,
} as const

/**
 * The import settings of a configuration: its section `Import`, and `Internal.UnixFSShardingSizeThreshold`, the former
 * name of one of them.
 *
 * @throws {@link FileNetworkError} with the text of Kubo's `ValidateImportConfig` for a value that makes no sense
 */
export async function readImportSettings(configuration: JsonObject): Promise<ImportSettings> {
  const section = (configuration['Import'] ?? {}) as Partial<Record<string, string | number | boolean | null>>
  const internal = (configuration['Internal'] ?? {}) as { UnixFSShardingSizeThreshold?: string | null }
  const valueOf = <K extends keyof typeof defaults>(key: K): string | number =>
    (section[key] as string | number | null | undefined) ?? defaults[key]

  const hash = await hashFunctionByName(String(valueOf('HashFunction')).toLowerCase())
  const version = checkVersion(Number(valueOf('CidVersion')))
  const threshold = section['UnixFSHAMTDirectorySizeThreshold'] ?? internal.UnixFSShardingSizeThreshold
  const estimation = String(valueOf('UnixFSHAMTDirectorySizeEstimation'))
  const isSharding = estimation !== 'disabled'
  const configuredRawLeaves = section['UnixFSRawLeaves'] as boolean | null | undefined
  return {
    cid: { version: hash.code === sha256Code ? version : 1, hash },
    rawLeaves: configuredRawLeaves ?? version === 1,
    configuredRawLeaves: configuredRawLeaves ?? undefined,
    chunker: String(valueOf('UnixFSChunker')),
    layout: valueOf('UnixFSDAGLayout') === 'trickle' ? 'trickle' : 'balanced',
    maxFileLinks: positive('UnixFSFileMaxLinks', Number(valueOf('UnixFSFileMaxLinks'))),
    directory: {
      shardThreshold: isSharding ? sizeOf(threshold) : Infinity,
      estimation: (isSharding ? estimation : 'links') as DirectorySizeEstimation,
      maxLinks: Number(valueOf('UnixFSDirectoryMaxLinks')),
      fanout: checkFanout(Number(valueOf('UnixFSHAMTDirectoryMaxFanout'))),
    },
  }
}

function sizeOf(value: string | number | boolean | null | undefined): number {
  if (typeof value === 'number') return value
  const size = typeof value === 'string' ? parseByteSize(value) : undefined
  return size ?? defaults.UnixFSHAMTDirectorySizeThreshold
}

function checkVersion(version: number): 0 | 1 {
  if (version === 0 || version === 1) return version
  throw new FileNetworkError(`Import.CidVersion must be 0 or 1, got ${version}`)
}

function positive(key: string, value: number): number {
  if (value > 0) return value
  throw new FileNetworkError(`Import.${key} must be positive, got ${value}`)
}

/** Whether a number is one of slots of a shard. */
export function isFanout(value: number): boolean {
  return value >= 8 && value <= 1024 && Number.isInteger(Math.log2(value))
}

function checkFanout(value: number): number {
  if (isFanout(value)) return value
  throw new FileNetworkError(
    `Import.UnixFSHAMTDirectoryMaxFanout must be a power of 2, between 8 and 1024 (got ${value})`,
  )
}

/** The import settings of a profile. */
export function importSettings(profile: ImportProfile): Promise<ImportSettings> {
  const entries = Object.entries(profiles.get(profile) ?? {})
  const section = Object.fromEntries(entries.map(([key, value]) => [key.replace('Import.', ''), value]))
  return readImportSettings({ Import: section })
}

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
}

/** A number of bytes such as `256KiB`, `1B` or `1.5 MB`, as go-humanize reads it; undefined where it is none. */
export function parseByteSize(text: string): number | undefined {
  const [, amount, unit = ''] = /^([\d,]*\.?\d+)\s*([a-z]*)$/i.exec(text.trim()) ?? []
  const factor = byteUnits[unit.toLowerCase()]
  return amount === undefined || factor === undefined
    ? undefined
    : Math.floor(Number(amount.replaceAll(',', '')) * factor)
}
