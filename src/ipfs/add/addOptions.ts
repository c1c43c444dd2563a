import { type HashFunction, hashFunctionByName, SHA256_CODE } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import { provideOptions, validatePinName } from '../store/pins.js'
import type { OptionSpecs, OptionValues } from '../request/command.js'
import { type UnixfsMetadata, permissionsOf } from '../unixfs/data.js'
import type { ImportDefaults, ImportSettings } from '../unixfs/settings.js'

/** The options of `add` (Kubo, `core/commands/add.go`). */
export const addOptions = {
  recursive: { type: 'bool', aliases: ['r'], description: 'No effect: for command-line clients.' },
  'dereference-args': { type: 'bool', description: 'No effect: for command-line clients.' },
  'stdin-name': { type: 'string', description: 'No effect: for command-line clients.' },
  hidden: { type: 'bool', aliases: ['H'], description: 'No effect: for command-line clients.' },
  ignore: { type: 'strings', description: 'No effect: for command-line clients.' },
  'ignore-rules-path': { type: 'string', description: 'No effect: for command-line clients.' },
  'empty-dirs': { type: 'bool', aliases: ['E'], default: true, description: 'Keep empty directories.' },
  'dereference-symlinks': { type: 'bool', description: 'No effect: for command-line clients.' },
  quiet: { type: 'bool', aliases: ['q'], description: 'No effect: for command-line clients.' },
  quieter: { type: 'bool', aliases: ['Q'], description: 'No effect: for command-line clients.' },
  silent: { type: 'bool', description: "Don't send lines for files; directories still get theirs." },
  progress: { type: 'bool', aliases: ['p'], description: 'Send a line for every 256 KiB read.' },
  'only-hash': { type: 'bool', aliases: ['n'], description: 'Compute the CIDs without storing anything.' },
  'wrap-with-directory': { type: 'bool', aliases: ['w'], description: 'Wrap everything in a directory.' },
  pin: { type: 'bool', default: true, description: 'Pin the roots.' },
  'pin-name': { type: 'string', description: 'Name of the pins.' },
  'to-files': { type: 'string', description: 'Also copy the roots to this path in MFS.' },
  'cid-version': { type: 'int', description: "CID version; 1 implies raw leaves. Default: the profile's." },
  hash: { type: 'string', description: 'Hash function; any but sha2-256 implies version 1.' },
  'raw-leaves': { type: 'bool', description: 'Store chunks as raw blocks. Default: true with version 1.' },
  chunker: {
    type: 'string',
    aliases: ['s'],
    description: "Chunking algorithm: size-<bytes>, rabin… or buzhash. Default: the profile's.",
  },
  trickle: {
    type: 'bool',
    aliases: ['t'],
    description: 'Use the trickle DAG layout, for sequential reading.',
  },
  'max-file-links': { type: 'int', description: "Maximum links of a file node. Default: the profile's." },
  'max-directory-links': { type: 'int', description: 'Maximum entries of a directory before it is sharded.' },
  'max-hamt-fanout': {
    type: 'int',
    description: 'Fanout of a sharded directory: a power of two and a multiple of 8.',
  },
  inline: { type: 'bool', description: 'Inline small blocks into their CIDs.' },
  'inline-limit': {
    type: 'int',
    default: 32,
    description: 'Maximum size of an inlined block in bytes, up to 128.',
  },
  nocopy: { type: 'bool', description: 'Refused: there is no filestore.' },
  fscache: { type: 'bool', description: 'No effect: there is no filestore.' },
  'preserve-mode': { type: 'bool', description: 'Store the file modes given in the parts.' },
  'preserve-mtime': { type: 'bool', description: 'Store the modification times given in the parts.' },
  mode: { type: 'uint', description: 'File mode to store with every entry.' },
  mtime: { type: 'int64', description: 'Modification time to store with every entry, in Unix seconds.' },
  'mtime-nsecs': { type: 'uint', description: 'Nanoseconds of `mtime`.' },
  ...provideOptions,
} as const satisfies OptionSpecs

/** The values of the options of `add`. */
export type AddOptions = OptionValues<typeof addOptions>

/** Which metadata to store with entries. */
export interface MetadataRule {
  preserveMode: boolean
  preserveTime: boolean
  /** Stored with every entry; overrides the metadata of the parts. */
  fixed: UnixfsMetadata
}

/** The decoded options of an `add`. */
export interface AddPlan {
  settings: ImportSettings
  metadata: MetadataRule
  includeEmptyDirectories: boolean
  onlyHash: boolean
  pin: boolean
  pinName: string
  progress: boolean
  silent: boolean
  toFiles: string | undefined
}

const INLINE_MAXIMUM = 128

/**
 * Resolves the options of an `add` against the configured defaults.
 *
 * @param checkBase - rejects an unknown CID base, at the point where Kubo does
 * @returns a function that returns the plan; call it once there is something to add. It throws for what Kubo checks
 * only then
 * @throws {@link FileNetworkError} with Kubo's message for options that conflict
 */
export async function planAdd(
  options: AddOptions,
  defaults: ImportDefaults,
  checkBase: () => unknown,
): Promise<() => AddPlan> {
  const { inline = false, 'inline-limit': inlineLimit } = options
  if (inline && inlineLimit > INLINE_MAXIMUM) {
    throw new FileNetworkError(
      `inline-limit ${inlineLimit} exceeds maximum allowed size of ${INLINE_MAXIMUM} bytes`,
    )
  }
  const pinName = options['pin-name']
  if (pinName !== undefined) validatePinName(pinName)
  const metadata = readMetadataRule(options)
  const rawLeaves = decideRawLeaves(options['raw-leaves'] ?? defaults.rawLeaves, metadata)
  checkCombinations(options)
  const hash = await hashFunctionByName((options.hash || defaults.hashName).toLowerCase())
  checkBase()
  const { mtime = 0n, 'mtime-nsecs': nanoseconds = 0 } = options
  if (mtime === 0n && nanoseconds !== 0) {
    throw new FileNetworkError('option "mtime-nsecs" requires "mtime" to be provided as well')
  }
  return () => {
    if (nanoseconds > 999_999_999) {
      throw new FileNetworkError('mtime nanoseconds must be in range [1, 999999999]')
    }
    const fanout = options['max-hamt-fanout'] ?? defaults.directory.fanout
    if (!isFanout(fanout)) {
      throw new FileNetworkError(`HAMT fanout must be a power of 2, between 8 and 1024 (got ${fanout})`)
    }
    if (options.nocopy && rawLeaves === false) {
      throw new FileNetworkError("nocopy option requires '--raw-leaves' to be enabled as well")
    }
    const settings = settingsOf(options, defaults, { hash, rawLeaves, fanout })
    if (options.nocopy) throw new NoFilestoreError()
    return {
      settings,
      metadata,
      includeEmptyDirectories: options['empty-dirs'],
      onlyHash: options['only-hash'] === true,
      pin: options.pin && options['only-hash'] !== true,
      pinName: pinName ?? '',
      progress: options.progress === true,
      silent: options.silent === true,
      toFiles: options['to-files'],
    }
  }
}

/** `nocopy` needs a filestore, and there is none. */
class NoFilestoreError extends FileNetworkError {
  constructor() {
    super(
      'either the filestore or the urlstore must be enabled to use nocopy, see: https://github.com/ipfs/kubo/blob/master/docs/experimental-features.md#ipfs-filestore',
    )
  }
}

function readMetadataRule(options: AddOptions): MetadataRule {
  const { mode = 0, mtime = 0n, 'mtime-nsecs': nanoseconds = 0 } = options
  return {
    preserveMode: options['preserve-mode'] === true && mode === 0,
    preserveTime: options['preserve-mtime'] === true && mtime === 0n,
    fixed: {
      mode: permissionsOf(mode),
      modified: mtime === 0n ? undefined : { seconds: mtime, nanoseconds },
    },
  }
}

/** Disables raw leaves if there is metadata, which needs a dag-pb root. Undefined: the CID version decides. */
function decideRawLeaves(
  given: boolean | undefined,
  { preserveMode, preserveTime, fixed }: MetadataRule,
): boolean | undefined {
  const hasMetadata = preserveMode || preserveTime || fixed.mode !== undefined || fixed.modified !== undefined
  if (!hasMetadata) return given
  if (given) {
    throw new FileNetworkError("raw-leaves can't be used with UnixFS metadata like mode or modification time")
  }
  return false
}

function checkCombinations(options: AddOptions): void {
  const toFiles = options['to-files'] !== undefined
  if (options['only-hash'] && toFiles) {
    throw new FileNetworkError('only-hash and to-files options are not compatible')
  }
  const pins = options.pin && options['only-hash'] !== true
  if (!pins && options['pin-name'] !== undefined) {
    throw new FileNetworkError('pin-name option requires pin to be set')
  }
  if (options['wrap-with-directory'] && toFiles) {
    throw new FileNetworkError('wrap-with-directory and to-files options are not compatible')
  }
}

function settingsOf(
  options: AddOptions,
  defaults: ImportDefaults,
  { hash, rawLeaves, fanout }: { hash: HashFunction; rawLeaves: boolean | undefined; fanout: number },
): ImportSettings {
  const version = versionFor(hash, options['cid-version'] ?? defaults.cidVersion ?? UNSET_VERSION)
  return {
    cid: { version, hash, inlineLimit: options.inline ? options['inline-limit'] : undefined },
    rawLeaves: rawLeaves ?? version === 1,
    chunker: options.chunker || defaults.chunker,
    layout: options.trickle === undefined ? defaults.layout : options.trickle ? 'trickle' : 'balanced',
    maxFileLinks: fileLinksOf(options['max-file-links'], defaults),
    directory: {
      ...defaults.directory,
      maxLinks: Math.max(0, options['max-directory-links'] ?? defaults.directory.maxLinks),
      fanout,
    },
  }
}

/** The CID version when neither request nor configuration gives one. */
const UNSET_VERSION = -1

/** Returns the CID version to use with a hash function (Kubo, `UnixfsAddOptions`). */
function versionFor({ code }: HashFunction, version: number): 0 | 1 {
  if (code !== SHA256_CODE) {
    if (version === 0) throw new FileNetworkError('CIDv0 only supports sha2-256')
    if (version !== 1 && version !== UNSET_VERSION) throw new UnknownCidVersionError(version)
    return 1
  }
  if (version > 1) throw new UnknownCidVersionError(version)
  return version === 1 ? 1 : 0
}

/** The CID version does not exist. */
export class UnknownCidVersionError extends FileNetworkError {
  constructor(version: number) {
    super(`unknown CID version: ${version}`)
  }
}

/** Whether shards can have this fanout. */
export function isFanout(value: number): boolean {
  return value >= 8 && value <= 1024 && Number.isInteger(Math.log2(value))
}

/** Maximum links of a file node if the option is not positive (boxo, `DefaultLinksPerBlock`). */
const DEFAULT_FILE_LINKS = 174

function fileLinksOf(option: number | undefined, { maxFileLinks }: ImportDefaults): number {
  if (option === undefined) return maxFileLinks
  return option > 0 ? option : DEFAULT_FILE_LINKS
}
