import type { CID } from 'multiformats/cid'
import { codecCode } from '../cid/cidFormat.js'
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
  return readEntry(cid, block)
}

/** Decodes the root block of a UnixFS entry. */
export async function readEntry(cid: CID, block: Uint8Array): Promise<UnixfsEntry> {
  if (cid.code === codecCode.raw) {
    const size = block.length
    return { cid, type: 'file', size, cumulativeSize: size, node: undefined, block }
  }
  if (cid.code !== codecCode.dagPb) throw new FileNetworkError('unknown node type')
  const node = await readNode(block)
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
