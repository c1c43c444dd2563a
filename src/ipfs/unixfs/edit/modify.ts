import type { CID } from 'multiformats/cid'
import { TimeSlice } from '../../../encoding/timeSlice.js'
import { codecCode, hashFunctionByName } from '../../cid/cidFormat.js'
import { type UnixfsMetadata, unixfsType } from '../data.js'
import { loadEntry } from '../entry.js'
import type { FileNode } from '../fileBuilder.js'
import { type StoredNode, writeNode } from '../node.js'
import { type ByteQueue, type EditContext, openNode, storeNode } from './editContext.js'

/**
 * Overwrites a file from a position until the file or the content ends. The layout stays as it is, and untouched blocks
 * are kept (boxo, `ipld/unixfs/mod`).
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

  const slice = new TimeSlice()
  let position = own?.length ?? 0
  for (const [index, size] of unixfs.blockSizes.entries()) {
    const link = links[index]
    if (link && position + size > start) {
      if (await content.isEmpty()) break
      link.cid = await overwrite(context, link.cid, Math.max(start - position, 0), content)
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    position += size
  }
  return (await storeNode(context, node)).cid
}

/** Returns a copy of the bytes, overwritten from a position on. */
async function overlay(bytes: Uint8Array, start: number, content: ByteQueue): Promise<Uint8Array> {
  if (start >= bytes.length) return bytes
  const changed = new Uint8Array(bytes)
  changed.set(await content.take(bytes.length - start), start)
  return changed
}

/**
 * Empties a file. As in boxo (`ipld/unixfs/mod`), its first leaf stays, empty, along with the nodes above it; a leaf
 * that is not a raw block gets the default CID format.
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

/**
 * Returns the only leaf of a file in place of its root if that leaf is a raw block and the file has no metadata, as for
 * a newly added file (boxo, `maybeCollapseToRawLeaf`).
 */
export async function collapse({ source }: Pick<EditContext, 'source'>, root: CID): Promise<CID> {
  const { mode, modified, node } = await loadEntry(source, root)
  const [leaf, ...others] = node?.links ?? []
  if (leaf?.cid.code !== codecCode.raw || others.length > 0) return root
  return modified !== undefined || (mode ?? 0) !== 0 ? root : leaf.cid
}

async function truncatedLink(context: EditContext, cid: CID): Promise<{ cid: CID; size: number }> {
  const { cid: stored, size } = await truncate(context, cid)
  return { cid: stored, size }
}

/**
 * Stores the root of a file, directory or symlink with a new mode or time; undefined keeps the old. A raw block has no
 * room for metadata, so its content moves into a file node with a CIDv0 (boxo, `mfs/file.go`).
 */
export async function setMetadata(
  context: EditContext,
  root: CID,
  metadata: UnixfsMetadata,
): Promise<StoredNode> {
  const { block, node } = await loadEntry(context.source, root)
  const { mode, modified } = metadata
  const changes = { ...(mode !== undefined && { mode }), ...(modified && { modified }) }
  if (root.code === codecCode.raw || node === undefined) {
    const file = { type: unixfsType.file, data: block, fileSize: block.length, blockSizes: [] }
    const format = { version: 0, hash: await hashFunctionByName('sha2-256') } as const
    return writeNode(context.writerOf(format), { ...file, ...changes })
  }
  const writer = context.writerOf(await context.formatOf(root))
  return writeNode(writer, { ...node.unixfs, ...changes }, node.links)
}
