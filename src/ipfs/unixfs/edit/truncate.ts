import type { CID } from 'multiformats/cid'
import { hashFunctionByName } from '../../cid/hashFunctions.js'
import { codecCode } from '../../cid/makeCid.js'
import type { FileNode } from '../layouts/layout.js'
import type { EditContext } from './editContext.js'
import { openNode, storeNode } from './editableNode.js'

/**
 * Takes the content out of a file. As in boxo (`ipld/unixfs/mod`), its first leaf stays, empty, and with it
 * the nodes above; a leaf that is no raw block gets the default CID format.
 */
export async function truncate(context: EditContext, root: CID): Promise<FileNode> {
  if (root.code === codecCode.raw) {
    const writer = context.writerOf(await context.formatOf(root))
    return { cid: await writer.write(codecCode.raw, new Uint8Array()), size: 0, fileSize: 0 }
  }
  const node = await openNode(context, root)
  const { unixfs, links } = node
  const empty = new Uint8Array()
  if (links.length === 0) {
    const format = { version: 0, hash: await hashFunctionByName('sha2-256') } as const
    return storeNode(context, { format, links, unixfs: { ...unixfs, data: empty } })
  }
  const first = unixfs.blockSizes.findIndex((size) => size > 0)
  const end = first < 0 ? links.length : first + 1
  const kept = links.slice(0, end)
  const last = kept.at(-1)
  if (first >= 0 && last) Object.assign(last, await truncatedLink(context, last.cid))
  const { data, ...rest } = unixfs
  return storeNode(context, {
    ...node,
    links: kept,
    unixfs: { ...rest, ...(data && { data: empty }), blockSizes: kept.map(() => 0) },
  })
}

async function truncatedLink(context: EditContext, cid: CID): Promise<{ cid: CID; size: number }> {
  const { cid: stored, size } = await truncate(context, cid)
  return { cid: stored, size }
}
