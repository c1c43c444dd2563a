import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DataDirectoryError } from './errors.js'
import { FILE_MODE, syncDirectory } from './directories.js'

/** Version of everything on disk: keys, records, file blocks. */
export const FORMAT_VERSION = 6

const MANIFEST_FILE = 'manifest.json'

/** Start of a fork: a block number, a total difficulty, or since the merge a timestamp in seconds. */
export interface ForkActivation {
  fork: string
  /** Decimal. */
  block?: string
  /** Decimal. */
  totalDifficulty?: string
  /** Decimal, seconds. */
  timestamp?: string
  /** The fork's blob schedule if the genesis has one: target, maximum and update fraction. */
  blobs?: string
}

/** What must not change about a network once it has blocks. */
export interface NetworkIdentity {
  /** Decimal. */
  chainId: string
  /** Hash of the genesis block: `0x` and 64 digits. */
  genesisHash: string
  forks: ForkActivation[]
}

/** Entry of a network in the manifest. */
export interface NetworkManifest extends NetworkIdentity {
  /** The network's number in database keys. */
  index: number
  /** Offset of the chain's clock ahead of the system's, in seconds. */
  clockOffsetSeconds: number
  /** Decimal; the block of another chain that this one forked from. */
  forkBlock?: string
  /** Fork that a reset switched the network to; its original chain stays under `index`. */
  resetTo?: ResetManifest | undefined
}

/** Fork that a reset switched a network to. */
export interface ResetManifest {
  /** Its number in database keys. */
  index: number
  /** Decimal; the block it forked from. */
  block: string
  /** URL of the remote node, including its key; absent if it is that of the network's own fork. */
  url?: string | undefined
}

/** Content of a data directory's manifest. */
export interface Manifest {
  formatVersion: number
  /** By name. */
  networks: Record<string, NetworkManifest>
}

/**
 * Reads the manifest of a data directory; undefined if there is none yet.
 *
 * @throws DataDirectoryError if the file is not a manifest or has another format version
 */
export function readManifest(directory: string): Manifest | undefined {
  const path = join(directory, MANIFEST_FILE)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const manifest = parse(text)
  if (manifest === undefined) {
    throw new DataDirectoryError(
      `${path} is damaged. Restore it from a copy, or delete ${directory} to start anew.`,
    )
  }
  if (manifest.formatVersion !== FORMAT_VERSION) {
    throw new DataDirectoryError(
      `The data directory ${directory} has format version ${manifest.formatVersion}, and this program reads ` +
        `${FORMAT_VERSION}. Export its chain with the version of Standin that wrote it ` +
        '(standin export --data-dir DIR chain.rlp), and import that into an empty directory with this one ' +
        '(standin --genesis chain.rlp.genesis.json --import chain.rlp --data-dir NEW).',
    )
  }
  return manifest
}

/**
 * Replaces the manifest of a data directory. Readers see either the old or the new one, whole.
 *
 * @param options.durable - whether to wait for the medium; pointless in a directory that dies with the process
 */
export function writeManifest(
  directory: string,
  manifest: Manifest,
  { durable }: { durable: boolean },
): void {
  const path = join(directory, MANIFEST_FILE)
  const draft = `${path}.new`
  try {
    writeDraft(draft, manifest, { durable })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  if (durable) syncDirectory(directory)
}

function writeDraft(path: string, manifest: Manifest, { durable }: { durable: boolean }): void {
  const descriptor = openSync(path, 'w', FILE_MODE)
  try {
    const { formatVersion, networks } = manifest
    const content = { formatVersion, checksum: checksumOf(networks), networks }
    writeFileSync(descriptor, `${JSON.stringify(content, null, 2)}\n`)
    if (durable) fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns the entry of a network in a manifest, adding it if missing.
 *
 * @param index - number of a new network in database keys
 * @throws DataDirectoryError if the name is taken by another chain, genesis or fork schedule
 */
export function admitNetwork(
  manifest: Manifest,
  name: string,
  { index, ...identity }: NetworkIdentity & Pick<NetworkManifest, 'index'>,
): NetworkManifest {
  const known = Object.hasOwn(manifest.networks, name) ? manifest.networks[name] : undefined
  if (known !== undefined) {
    checkIdentity(name, known, identity)
    return known
  }
  const network = { index, clockOffsetSeconds: 0, ...identity }
  manifest.networks[name] = network
  return network
}

function checkIdentity(name: string, known: NetworkIdentity, wanted: NetworkIdentity): void {
  const refuse = (what: string, stored: string, asked: string) => {
    throw new DataDirectoryError(
      `The data directory holds the network ${name} with ${what} ${stored}, not ${asked}. ` +
        'Start with the same options as before, or give another data directory.',
    )
  }
  if (known.chainId !== wanted.chainId) refuse('chain id', known.chainId, wanted.chainId)
  if (describeForks(known) !== describeForks(wanted)) {
    refuse('the fork schedule', describeForks(known), describeForks(wanted))
  }
  if (known.genesisHash !== wanted.genesisHash) refuse('genesis hash', known.genesisHash, wanted.genesisHash)
}

function describeForks({ forks }: NetworkIdentity): string {
  return forks.map(describeFork).join(', ') || 'none'
}

function describeFork({ fork, block, totalDifficulty, timestamp, blobs }: ForkActivation): string {
  const start =
    block ?? (totalDifficulty === undefined ? `time ${timestamp}` : `difficulty ${totalDifficulty}`)
  return `${fork}@${start}${blobs === undefined ? '' : ` (blobs ${blobs})`}`
}

/** Returns undefined if the text is not a manifest. For other format versions only the version is read. */
function parse(text: string): Manifest | undefined {
  let value: (Partial<Manifest> & { checksum?: string }) | null
  try {
    value = JSON.parse(text) as typeof value
  } catch {
    return undefined
  }
  const { formatVersion, networks, checksum } = value ?? {}
  if (typeof formatVersion !== 'number') return undefined
  if (formatVersion !== FORMAT_VERSION) return { formatVersion, networks: {} }
  if (typeof networks !== 'object' || !Object.values(networks).every(isNetwork)) return undefined
  if (checksum !== checksumOf(networks)) return undefined
  return { formatVersion, networks }
}

/** Returns a CRC-32 in hexadecimal. It is needed because a number with a changed digit is still a number. */
function checksumOf(networks: Manifest['networks']): string {
  return crc32(JSON.stringify(networks)).toString(16)
}

function isNetwork(value: Partial<NetworkManifest> | null): boolean {
  return (
    typeof value?.index === 'number' &&
    typeof value.clockOffsetSeconds === 'number' &&
    typeof value.chainId === 'string' &&
    typeof value.genesisHash === 'string' &&
    Array.isArray(value.forks)
  )
}
