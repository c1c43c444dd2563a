import type { CID } from 'multiformats/cid'
import { cidKey, codecCode } from '../cid/cidFormat.js'
import { linksOf } from '../dag/links.js'
import { FileNetworkError } from '../errors.js'
import type { Blockstore } from '../store/blockstore.js'
import { type UnixfsMetadata, unixfsType } from './data.js'
import { type UnixfsNode, readNode } from './node.js'

/** Source of blocks. */
export type BlockSource = Pick<Blockstore, 'get'>

/** A UnixFS root whose first block has been read. */
export interface UnixfsEntry extends UnixfsMetadata {
  cid: CID
  type: 'file' | 'directory' | 'symlink'
  /** Length of the file's content or the symlink's target, in bytes; 0 for a directory. */
  size: number
  /** Total length of all blocks in the DAG, in bytes. */
  cumulativeSize: number
  /** The decoded block; undefined for a raw block, which is the file's content itself. */
  node: UnixfsNode | undefined
  /** The encoded block. */
  block: Uint8Array
}

/**
 * Loads a UnixFS root.
 *
 * @throws {@link FileNetworkError} if the CID's codec is neither dag-pb nor raw, or the block is malformed
 */
export async function loadEntry(source: BlockSource, cid: CID): Promise<UnixfsEntry> {
  const block = await source.get(cid)
  // An undecodable block is reported first.
  if (cid.code !== codecCode.raw && cid.code !== codecCode.dagPb) await linksOf(cid, block)
  return recallEntry(cid, block)
}

/** Like {@link readEntry}, but remembers the directories decoded last. The block must never be overwritten. */
export function recallEntry(cid: CID, block: Uint8Array): Promise<UnixfsEntry> {
  return readEntry(cid, block, () => decodedDirectories.read(cidKey(cid), block))
}

/** Decodes the root block of a UnixFS entry. */
export async function readEntry(
  cid: CID,
  block: Uint8Array,
  decode: (block: Uint8Array) => Promise<UnixfsNode> = readNode,
): Promise<UnixfsEntry> {
  if (cid.code === codecCode.raw) {
    const size = block.length
    return { cid, type: 'file', size, cumulativeSize: size, node: undefined, block }
  }
  if (cid.code !== codecCode.dagPb) throw new FileNetworkError('unknown node type')
  const node = await decode(block)
  const { unixfs } = node
  const type = typeOf(node)
  return {
    cid,
    type,
    size: type === 'directory' ? 0 : type === 'symlink' ? (unixfs.data?.length ?? 0) : fileSizeOf(node),
    cumulativeSize: node.cumulativeSize,
    mode: unixfs.mode,
    modified: unixfs.modified,
    node,
    block,
  }
}

function typeOf({ unixfs }: UnixfsNode): UnixfsEntry['type'] {
  switch (unixfs.type) {
    case unixfsType.directory:
    case unixfsType.hamtShard:
      return 'directory'
    case unixfsType.symlink:
      return 'symlink'
    default:
      return 'file'
  }
}

/** Returns the size of the file below a node, in bytes. */
export function fileSizeOf({ unixfs }: UnixfsNode): number {
  return unixfs.fileSize ?? unixfs.blockSizes.reduce((sum, size) => sum + size, unixfs.data?.length ?? 0)
}

/** Bytes of blocks whose decoded form is kept; in memory, that takes some twenty times as much. */
const CAPACITY = 1024 * 1024
/** Shorter blocks, in bytes, are decoded at no great cost. */
const SHORT_BLOCK = 4096

interface DecodedBlock {
  block: Uint8Array
  node: Promise<UnixfsNode>
}

/**
 * The directories decoded last, by CID. Decoding one of thousands of entries takes milliseconds, and each path into it
 * would cost that again.
 */
class DecodedDirectories {
  /** What is being decoded, and may turn out to be no directory. */
  readonly #decoding = new Map<string, DecodedBlock>()
  /** The least recently used first. */
  readonly #kept = new Map<string, DecodedBlock>()
  #bytes = 0

  /** Decodes a block, or returns its node if it is the same block as before. */
  async read(key: string, block: Uint8Array): Promise<UnixfsNode> {
    if (block.length < SHORT_BLOCK || block.length > CAPACITY) return readNode(block)
    const known = this.#kept.get(key) ?? this.#decoding.get(key)
    if (known !== undefined && Buffer.compare(known.block, block) === 0) {
      const node = await known.node
      // Those who load a file may edit its node.
      if (isDirectory(node)) {
        this.#keep(key, known)
        return node
      }
    }
    const decoded = { block, node: readNode(block) }
    this.#decoding.set(key, decoded)
    try {
      const node = await decoded.node
      if (isDirectory(node)) this.#keep(key, decoded)
      return node
    } finally {
      if (this.#decoding.get(key) === decoded) this.#decoding.delete(key)
    }
  }

  #keep(key: string, decoded: DecodedBlock): void {
    this.#forget(key)
    this.#kept.set(key, decoded)
    this.#bytes += decoded.block.length
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= CAPACITY) return
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#bytes -= this.#kept.get(key)?.block.length ?? 0
    this.#kept.delete(key)
  }
}

const decodedDirectories = new DecodedDirectories()

function isDirectory({ unixfs: { type } }: UnixfsNode): boolean {
  return type === unixfsType.directory || type === unixfsType.hamtShard
}
