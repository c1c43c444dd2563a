import { type CidFormat, hashFunctionByName, isHashName } from '../cid/cidFormat.js'
import { UnknownCidVersionError, isFanout } from '../add/addOptions.js'
import { FileNetworkError } from '../errors.js'
import type {
  DirectorySettings,
  DirectorySizeEstimation,
  ImportDefaults,
  ImportProfile,
  ImportSettings,
} from '../unixfs/settings.js'
import { profiles } from './profiles.js'
import type { JsonObject } from './schema.js'
import { goQuote } from '../text/goQuote.js'

/** Kubo's defaults (Kubo, `config/import.go`). */
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

/** The section `Import`. */
class ImportSection {
  readonly #section: Partial<Record<string, string | number | boolean | null>>

  constructor(configuration: JsonObject) {
    this.#section = configuration['Import'] ?? {}
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

  get cidVersion(): number | undefined {
    return (this.#section['CidVersion'] as number | null | undefined) ?? undefined
  }

  get rawLeaves(): boolean | undefined {
    return (this.#section['UnixFSRawLeaves'] as boolean | null | undefined) ?? undefined
  }

  get layout(): ImportSettings['layout'] {
    return this.text('UnixFSDAGLayout') === 'trickle' ? 'trickle' : 'balanced'
  }

  get maxFileLinks(): number {
    const links = this.number('UnixFSFileMaxLinks')
    return links > 0 ? links : defaults.UnixFSFileMaxLinks
  }

  /** @param threshold - as in {@link shardThreshold} */
  directory(fanout: number, threshold: number): DirectorySettings {
    const estimation = this.text('UnixFSHAMTDirectorySizeEstimation')
    const isSharding = estimation !== 'disabled'
    return {
      shardThreshold: isSharding ? threshold : Infinity,
      estimation: (isSharding ? estimation : 'links') as DirectorySizeEstimation,
      maxLinks: this.number('UnixFSDirectoryMaxLinks'),
      fanout,
    }
  }

  /** Returns the settings for a CID format. */
  settings(cid: CidFormat, directory: DirectorySettings): ImportSettings {
    return {
      cid,
      rawLeaves: this.rawLeaves ?? cid.version === 1,
      configuredRawLeaves: this.rawLeaves,
      chunker: this.text('UnixFSChunker'),
      layout: this.layout,
      maxFileLinks: this.maxFileLinks,
      directory,
    }
  }
}

/** Returns the configured size at which directories are sharded, in bytes. Kubo reads it when it starts. */
export function shardThreshold(configuration: JsonObject): number {
  const section = (configuration['Import'] ?? {}) as Partial<Record<string, string | number | null>>
  const former = (configuration['Internal'] ?? {}) as { UnixFSShardingSizeThreshold?: string | null }
  return sizeOf(section['UnixFSHAMTDirectorySizeThreshold'] ?? former.UnixFSShardingSizeThreshold)
}

/**
 * Reads the settings of `add` from a configuration. Invalid values are reported where they are used.
 *
 * @param threshold - as in {@link shardThreshold}
 */
export function readImportDefaults(configuration: JsonObject, threshold: number): ImportDefaults {
  const section = new ImportSection(configuration)
  return {
    cidVersion: section.cidVersion,
    hashName: section.text('HashFunction'),
    rawLeaves: section.rawLeaves,
    chunker: section.text('UnixFSChunker'),
    layout: section.layout,
    maxFileLinks: section.maxFileLinks,
    directory: section.directory(section.number('UnixFSHAMTDirectoryMaxFanout'), threshold),
  }
}

/**
 * Reads the settings of the mutable files from a configuration. An invalid fanout is replaced by the default; an
 * invalid CID format is reported with Kubo's message (`UnixFSCidBuilder`) where it is used.
 *
 * @param threshold - as in {@link shardThreshold}
 */
export async function readFilesSettings(
  configuration: JsonObject,
  threshold: number,
): Promise<ImportSettings> {
  const section = new ImportSection(configuration)
  const fanout = section.number('UnixFSHAMTDirectoryMaxFanout')
  const usedFanout = isFanout(fanout) ? fanout : defaults.UnixFSHAMTDirectoryMaxFanout
  const directory = section.directory(usedFanout, threshold)
  try {
    return section.settings(await readFilesFormat(section), directory)
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    const hash = await hashFunctionByName(defaults.HashFunction)
    return {
      ...section.settings({ version: 0, hash }, directory),
      get cid(): CidFormat {
        throw error
      },
    }
  }
}

async function readFilesFormat(section: ImportSection): Promise<CidFormat> {
  const name = section.text('HashFunction')
  const configured = section.number('CidVersion')
  if (configured !== 0 && configured !== 1) throw new UnknownCidVersionError(configured)
  if (!isHashName(name.toLowerCase())) {
    throw new FileNetworkError(`Import.HashFunction unrecognized: ${goQuote(name)}`)
  }
  const hash = await hashFunctionByName(name.toLowerCase())
  return { version: configured === 1 || name !== defaults.HashFunction ? 1 : 0, hash }
}

/** Returns the configured hash function of blocks and data, as written. */
export function configuredHash(configuration: JsonObject): string {
  return new ImportSection(configuration).text('HashFunction')
}

function sizeOf(value: string | number | boolean | null | undefined): number {
  if (typeof value === 'number') return value
  try {
    if (typeof value === 'string') return parseByteSize(value)
  } catch {
    // The former setting may hold any text.
  }
  return defaults.UnixFSHAMTDirectorySizeThreshold
}

/** Returns the import settings of a profile. */
export async function importSettings(profile: ImportProfile): Promise<ImportSettings> {
  const entries = Object.entries(profiles.get(profile) ?? {})
  const section = Object.fromEntries(entries.map(([key, value]) => [key.replace('Import.', ''), value]))
  const configuration = { Import: section }
  return readFilesSettings(configuration, shardThreshold(configuration))
}

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  ...Object.fromEntries(
    [...'kmgtpe'].flatMap((letter, index) => {
      const [decimal, binary] = [1000 ** (index + 1), 1024 ** (index + 1)]
      return [
        [letter, decimal],
        [`${letter}b`, decimal],
        [`${letter}i`, binary],
        [`${letter}ib`, binary],
      ]
    }),
  ),
}

/**
 * Parses a size such as `256KiB`, `1B` or `1.5 MB` to bytes, like go-humanize.
 *
 * @throws {@link FileNetworkError} with its message
 */
export function parseByteSize(text: string): number {
  const [amount = ''] = /^[\d.,]*/.exec(text) ?? []
  const digits = amount.replaceAll(',', '')
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(digits)) {
    throw new FileNetworkError(`strconv.ParseFloat: parsing ${goQuote(digits)}: invalid syntax`)
  }
  const unit = text.slice(amount.length).trim().toLowerCase()
  const factor = byteUnits[unit]
  if (factor === undefined) throw new FileNetworkError(`unhandled size name: ${unit}`)
  const size = Number(digits) * factor
  if (size >= 2 ** 64) throw new FileNetworkError(`too large: ${text}`)
  return Math.floor(size)
}
