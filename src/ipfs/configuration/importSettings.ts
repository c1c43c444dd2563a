import { type CidFormat, hashFunctionByName, isHashName, sha256Code } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import type {
  DirectorySettings,
  DirectorySizeEstimation,
  ImportProfile,
  ImportSettings,
} from '../unixfs/settings.js'
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

/** What a request says of how content is imported, which wins over what is configured. */
export interface ImportChoices {
  hash?: string | undefined
  /** -1: as the hash function needs it. */
  cidVersion?: number | undefined
  /** Slots of a shard. */
  fanout?: number | undefined
}

/**
 * How content is imported by a configuration: by its section `Import`, and by `Internal.UnixFSShardingSizeThreshold`, the
 * former name of one of its settings.
 */
export class ImportDefaults {
  readonly #section: Partial<Record<string, string | number | boolean | null>>
  readonly #formerThreshold: string | null | undefined

  constructor(configuration: JsonObject) {
    this.#section = configuration['Import'] ?? {}
    const internal = (configuration['Internal'] ?? {}) as { UnixFSShardingSizeThreshold?: string | null }
    this.#formerThreshold = internal.UnixFSShardingSizeThreshold
  }

  /**
   * How `add` imports where a request says so much.
   *
   * @returns the settings; they are asked for when there is something to import, and refuse numbers that make no sense
   * @throws {@link FileNetworkError} with the text of Kubo for a name that is none of a hash function
   */
  async choose({ hash: name, cidVersion, fanout }: ImportChoices): Promise<() => ImportSettings> {
    const hash = await hashFunctionByName((name || this.text('HashFunction')).toLowerCase())
    const configured = this.#section['CidVersion'] as number | null | undefined
    return () => {
      const slots = checkFanout(fanout ?? this.number('UnixFSHAMTDirectoryMaxFanout'))
      const version = versionFor(hash.code, cidVersion ?? configured ?? unsetVersion)
      return this.settings({ version, hash }, slots)
    }
  }

  text(
    key: 'HashFunction' | 'UnixFSChunker' | 'UnixFSDAGLayout' | 'UnixFSHAMTDirectorySizeEstimation',
  ): string {
    return String(this.#section[key] ?? defaults[key])
  }

  number(
    key: 'CidVersion' | 'UnixFSDirectoryMaxLinks' | 'UnixFSFileMaxLinks' | 'UnixFSHAMTDirectoryMaxFanout',
  ): number {
    return Number(this.#section[key] ?? defaults[key])
  }

  get rawLeaves(): boolean | undefined {
    return (this.#section['UnixFSRawLeaves'] as boolean | null | undefined) ?? undefined
  }

  directory(fanout: number): DirectorySettings {
    const estimation = this.text('UnixFSHAMTDirectorySizeEstimation')
    const isSharding = estimation !== 'disabled'
    const threshold = this.#section['UnixFSHAMTDirectorySizeThreshold'] ?? this.#formerThreshold
    return {
      shardThreshold: isSharding ? sizeOf(threshold) : Infinity,
      estimation: (isSharding ? estimation : 'links') as DirectorySizeEstimation,
      maxLinks: this.number('UnixFSDirectoryMaxLinks'),
      fanout,
    }
  }

  /** The settings with a format of CIDs and a number of slots of shards. */
  settings(cid: CidFormat, fanout: number): ImportSettings {
    const maxFileLinks = this.number('UnixFSFileMaxLinks')
    return {
      cid,
      rawLeaves: this.rawLeaves ?? cid.version === 1,
      configuredRawLeaves: this.rawLeaves,
      chunker: this.text('UnixFSChunker'),
      layout: this.text('UnixFSDAGLayout') === 'trickle' ? 'trickle' : 'balanced',
      maxFileLinks: maxFileLinks > 0 ? maxFileLinks : defaults.UnixFSFileMaxLinks,
      directory: this.directory(fanout),
    }
  }
}

/** Stands for a version of CIDs that nobody chose. */
const unsetVersion = -1

/** The version of CIDs that a hash function is used with (Kubo, `UnixfsAddOptions`). */
function versionFor(hashCode: number, version: number): 0 | 1 {
  if (hashCode !== sha256Code) {
    if (version === 0) throw new FileNetworkError('CIDv0 only supports sha2-256')
    if (version !== 1 && version !== unsetVersion) throw new UnknownCidVersionError(version)
    return 1
  }
  if (version > 1) throw new UnknownCidVersionError(version)
  return version === 1 ? 1 : 0
}

/**
 * How the mutable files are stored by a configuration. A number of slots that makes no sense counts as none.
 *
 * @throws {@link FileNetworkError} with the text of Kubo (`UnixFSCidBuilder`) for a CID format that makes no sense
 */
export async function readFilesSettings(configuration: JsonObject): Promise<ImportSettings> {
  const section = new ImportDefaults(configuration)
  const fanout = section.number('UnixFSHAMTDirectoryMaxFanout')
  const name = section.text('HashFunction')
  const configured = section.number('CidVersion')
  if (configured !== 0 && configured !== 1) throw new UnknownCidVersionError(configured)
  if (!isHashName(name.toLowerCase())) {
    throw new FileNetworkError(`Import.HashFunction unrecognized: ${JSON.stringify(name)}`)
  }
  const hash = await hashFunctionByName(name.toLowerCase())
  return section.settings(
    { version: configured === 1 || name !== defaults.HashFunction ? 1 : 0, hash },
    isFanout(fanout) ? fanout : defaults.UnixFSHAMTDirectoryMaxFanout,
  )
}

/** The hash function that a configuration names for blocks and data, as it is written. */
export function configuredHash(configuration: JsonObject): string {
  return new ImportDefaults(configuration).text('HashFunction')
}

/** A version of CIDs that there is none of. */
class UnknownCidVersionError extends FileNetworkError {
  constructor(version: number) {
    super(`unknown CID version: ${version}`)
  }
}

function sizeOf(value: string | number | boolean | null | undefined): number {
  if (typeof value === 'number') return value
  const size = typeof value === 'string' ? parseByteSize(value) : undefined
  return size ?? defaults.UnixFSHAMTDirectorySizeThreshold
}

/** Whether a number is one of slots of a shard. */
function isFanout(value: number): boolean {
  return value >= 8 && value <= 1024 && Number.isInteger(Math.log2(value))
}

/**
 * A number of slots of a shard.
 *
 * @throws {@link FileNetworkError} for one that no shard has
 */
function checkFanout(value: number): number {
  if (isFanout(value)) return value
  throw new FileNetworkError(`HAMT fanout must be a power of 2, between 8 and 1024 (got ${value})`)
}

/** The import settings of a profile. */
export async function importSettings(profile: ImportProfile): Promise<ImportSettings> {
  const entries = Object.entries(profiles.get(profile) ?? {})
  const section = Object.fromEntries(entries.map(([key, value]) => [key.replace('Import.', ''), value]))
  const settings = await new ImportDefaults({ Import: section }).choose({})
  return settings()
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
