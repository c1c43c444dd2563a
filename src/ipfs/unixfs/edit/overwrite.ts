import type { CID } from 'multiformats/cid'
import { codecCode } from '../../cid/makeCid.js'
import type { ByteQueue } from './byteQueue.js'
import type { EditContext } from './editContext.js'
import { openNode, storeNode } from './editableNode.js'

/**
 * Writes content over that of a file, from a position to where either ends. The layout stays as it is,
 * and so does every block that nothing is written to (boxo, `ipld/unixfs/mod`).
 *
 * @returns the new root
 */
export async function overwrite(
  context: EditContext,
  root: CID,
  start: number,
  content: ByteQueue,
): Promise<CID> {
  if (await content.isEmpty()) return root
  if (root.code === codecCode.raw) {
    const bytes = await overlay(await context.source.get(root), start, content)
    return context.writerOf(await context.formatOf(root)).write(codecCode.raw, bytes)
  }
  const node = await openNode(context, root)
  const { unixfs, links } = node
  const own = unixfs.data
  if (own) unixfs.data = await overlay(own, start, content)

  let position = own?.length ?? 0
  for (const [index, size] of unixfs.blockSizes.entries()) {
    const link = links[index]
    if (link && position + size > start) {
      link.cid = await overwrite(context, link.cid, Math.max(start - position, 0), content)
    }
    position += size
  }
  return (await storeNode(context, node)).cid
}

/** A copy of bytes with others over them, from a position on. */
async function overlay(bytes: Uint8Array, start: number, content: ByteQueue): Promise<Uint8Array> {
  if (start >= bytes.length) return bytes
  const changed = Uint8Array.from(bytes)
  changed.set(await content.take(bytes.length - start), start)
  return changed
}
