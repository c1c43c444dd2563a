import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DataDirectoryError } from './errors.js'
import { FILE_MODE, syncDirectory } from './directories.js'

/** The version of everything on disk: keys, records, blocks of files. */
export const FORMAT_VERSION = 4

const MANIFEST_FILE = 'manifest.json'

/** When a fork begins: at a block number, at a total difficulty, or since the merge at a timestamp in seconds. */
export interface ForkActivation {
  fork: string
  /** Decimal. */
  block?: string
  /** Decimal. */
  totalDifficulty?: string
  /** Decimal, seconds. */
  timestamp?: string
  /** The fork's blob schedule, where the genesis has one: target, maximum and update fraction. */
  blobs?: string
}

/** What never changes about a network once it has blocks. */
export interface NetworkIdentity {
  /** Decimal. */
  chainId: string
  /** The hash of the genesis block, `0x` and 64 digits. */
  genesisHash: string
  forks: ForkActivation[]
}

/** A network as a data directory keeps it. */
export interface NetworkManifest extends NetworkIdentity {
  /** Its number in the keys of the database. */
  index: number
  /** How far the chain's clock runs ahead of the system's, in seconds. */
  clockOffsetSeconds: number
  /** Decimal; the block of another chain that this one goes on from. */
  forkBlock?: string
  /** The fork that a reset has taken the network to; its home stays under `index`. */
  resetTo?: ResetManifest | undefined
}

/** A fork that a reset has taken a network to. */
export interface ResetManifest {
  /** Its number in the keys of the database. */
  index: number
  /** Decimal; the block that it goes on from. */
  block: string
  /** Of the remote node, with its key; absent where it is that of the network's own fork. */
  url?: string | undefined
}

/** What a data directory says about itself. */
export interface Manifest {
  formatVersion: number
  /** By name. */
  networks: Record<string, NetworkManifest>
}

/**
 * The manifest of a data directory, or undefined if it has none yet.
 *
 * @throws DataDirectoryError if it is not a manifest, or one of another format version.
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
 * Replaces the manifest of a data directory: a reader sees the old one or the new one, whole.
 *
 * @param options.durable - whether it waits for the medium; of no use in a directory that goes with the process
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
 * The entry of a network in a manifest, made if the manifest does not have it.
 *
 * @param index - the number that a new network has in the keys of the database
 * @throws DataDirectoryError if it has the name with another chain, genesis or fork schedule.
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

/** Undefined if the text is not the JSON of a manifest. Of other format versions only the version is looked at. */
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

/** A CRC-32 in hexadecimal: a number with another digit is a number too. */
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
