import type { CID } from 'multiformats/cid'
import type { CidFormat } from '../../cid/makeCid.js'
import { FileNetworkError } from '../../errors.js'
import type { UnixfsData } from '../data.js'
import { loadEntry } from '../entry.js'
import type { FileNode } from '../layouts/layout.js'
import { writeNode } from '../node.js'
import type { UnixfsLink } from '../node.js'
import type { EditContext } from './editContext.js'

/** A dag-pb node of a file, taken apart to be changed. */
export interface EditableNode {
  format: CidFormat
  unixfs: UnixfsData
  links: UnixfsLink[]
}

/**
 * Loads a dag-pb node of a file.
 *
 * @throws {@link FileNetworkError} when it is a raw block, or not as many links as sizes are in it
 */
export async function openNode(context: EditContext, cid: CID): Promise<EditableNode> {
  const { node } = await loadEntry(context.source, cid)
  if (node === undefined) throw new FileNetworkError('expected protobuf dag node')
  const { unixfs, links } = node
  if (links.length !== unixfs.blockSizes.length) {
    throw new FileNetworkError('not a valid UnixFS node: inconsistent number of links and block sizes')
  }
  return { format: await context.formatOf(cid), unixfs, links }
}

/** Stores a node; the size of its file follows from what it has. */
export async function storeNode(context: EditContext, node: EditableNode): Promise<FileNode> {
  const { unixfs, links } = node
  const fileSize = unixfs.blockSizes.reduce((sum, size) => sum + size, unixfs.data?.length ?? 0)
  const stored = await writeNode(context.writerOf(node.format), { ...unixfs, fileSize }, links)
  return { ...stored, fileSize }
}
