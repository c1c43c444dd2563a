import type { CID } from 'multiformats/cid'
import { codecCode } from '../../cid/makeCid.js'
import { unixfsType } from '../data.js'
import type { UnixfsMetadata } from '../data.js'
import { loadEntry } from '../entry.js'
import { writeNode } from '../node.js'
import type { StoredNode } from '../node.js'
import type { EditContext } from './editContext.js'

/**
 * Stores the root of a file, directory or symlink with another mode or time; what is undefined stays. A raw
 * block has no place for either, so its content moves into a file node (boxo, `mfs/file.go`).
 */
export async function setMetadata(
  context: EditContext,
  root: CID,
  metadata: UnixfsMetadata,
): Promise<StoredNode> {
  const { block, node } = await loadEntry(context.source, root)
  const { mode, modified } = metadata
  const changes = { ...(mode !== undefined && { mode }), ...(modified && { modified }) }
  const writer = context.writerOf(await context.formatOf(root))
  if (root.code === codecCode.raw || node === undefined) {
    const content = block.length > 0 ? block : undefined
    const file = { type: unixfsType.file, data: content, fileSize: block.length, blockSizes: [] }
    return writeNode(writer, { ...file, ...changes })
  }
  return writeNode(writer, { ...node.unixfs, ...changes }, node.links)
}
