import type { CID } from 'multiformats/cid'
import { type CidFormat, checkDigest, codecCode, IDENTITY_CODE } from '../../cid/cidFormat.js'
import { createChunker } from '../chunker.js'
import { unixfsType } from '../data.js'
import {
  type ChunkQueue,
  type FileNode,
  type FileParts,
  createChunkQueue,
  createFileParts,
  fillTrickle,
  REPEATS,
} from '../fileBuilder.js'
import { type EditContext, type EditableNode, openNode, storeNode } from './editContext.js'

/** Settings for appending to a file. */
export interface AppendRule {
  chunker: string
  /** Whether new leaves are raw blocks. After a raw block they always are. */
  rawLeaves: boolean
  maxLinks: number
  /** CID format of new nodes. */
  format: CidFormat
}

/** State of an append. */
interface Growth {
  context: EditContext
  parts: FileParts
  queue: ChunkQueue
}

/**
 * Appends content to a file. The file continues as a trickle DAG, whatever its layout (boxo, `importer/trickle`,
 * Append). A raw block becomes the first leaf of a new root.
 *
 * @returns the new root
 */
export async function append(
  context: EditContext,
  root: CID,
  content: AsyncIterable<Uint8Array>,
  rule: AppendRule,
): Promise<CID> {
  const isRaw = root.code === codecCode.raw
  const { hash } = rule.format
  const format = hash.code === IDENTITY_CODE ? context.inlineFormat : rule.format
  const parts = createFileParts({
    writer: context.writerOf(format),
    maxLinks: rule.maxLinks,
    rawLeaves: rule.rawLeaves || isRaw,
    // Nodes too long for an identity CID get another format; leaves are rejected (boxo, `identitySafeDAGService`).
    ...(hash.code === IDENTITY_CODE && { checkLeaf: (length) => checkDigest(hash, length) }),
  })
  const chunks = createChunker(rule.chunker)(content, parts.newChunk)
  const growth = { context, parts, queue: await createChunkQueue(chunks, parts.newChunk) }
  if (!growth.queue.next) return root

  const node = isRaw ? await wrapRaw(context, root, format) : await openNode(context, root)
  await growRoot(growth, node)
  return (await storeNode(context, node)).cid
}

async function wrapRaw(context: EditContext, leaf: CID, format: CidFormat): Promise<EditableNode> {
  const { length } = await context.source.get(leaf)
  return {
    format,
    unixfs: { type: unixfsType.file, blockSizes: [length] },
    links: [{ name: '', cid: leaf, size: length }],
  }
}

async function growRoot(growth: Growth, node: EditableNode): Promise<void> {
  const { queue, parts } = growth
  const { depth: reached, repeat } = placeOf(node, parts.maxLinks)
  if (reached === 0) await fillLeaves(growth, node)
  if (!queue.next) return
  let depth = Math.max(reached, 1)
  await growLastChild(growth, node, { depth: depth - 1, repeat })
  for (depth++; queue.next; depth++) await addSubtrees(growth, node, { depth, from: 0 })
}

/** Fills the last subtree of a node, then the remaining subtrees of the same depth. */
async function growLastChild(
  growth: Growth,
  node: EditableNode,
  { depth, repeat }: { depth: number; repeat: number },
): Promise<void> {
  const last = node.links.at(-1)
  if (last === undefined || node.links.length <= growth.parts.maxLinks) return
  const child = await openNode(growth.context, last.cid)
  await growSubtree(growth, child, depth - 1)
  const stored = await storeNode(growth.context, child)
  node.links.pop()
  node.unixfs.blockSizes.pop()
  addChild(node, stored)
  if (repeat !== 0) await addSubtrees(growth, node, { depth, from: repeat })
}

async function growSubtree(growth: Growth, node: EditableNode, maxDepth: number): Promise<void> {
  const { queue, parts } = growth
  if (maxDepth === 0 || !queue.next) return
  const { depth: reached, repeat } = placeOf(node, parts.maxLinks)
  if (reached === 0) await fillLeaves(growth, node)
  let depth = Math.max(reached, 1)
  if (depth === maxDepth) return
  await growLastChild(growth, node, { depth, repeat })
  if (queue.next) depth++
  for (; depth < maxDepth && queue.next; depth++) await addSubtrees(growth, node, { depth, from: 0 })
}

/**
 * Returns where a node stopped growing: the depth of its subtrees (0 while leaves fit) and their number at that depth.
 */
function placeOf({ links }: EditableNode, maxLinks: number): { depth: number; repeat: number } {
  if (links.length < maxLinks) return { depth: 0, repeat: 0 }
  const subtrees = links.length - maxLinks
  return { depth: Math.floor(subtrees / REPEATS) + 1, repeat: subtrees % REPEATS }
}

async function fillLeaves({ parts, queue }: Growth, node: EditableNode): Promise<void> {
  while (node.links.length < parts.maxLinks && queue.next) {
    addChild(node, await parts.leaf(await queue.take(), unixfsType.raw))
  }
}

async function addSubtrees(
  { parts, queue }: Growth,
  node: EditableNode,
  { depth, from }: { depth: number; from: number },
): Promise<void> {
  for (let repeat = from; repeat < REPEATS && queue.next; repeat++) {
    addChild(node, await parts.parent(await fillTrickle(queue, parts, depth)))
  }
}

function addChild(node: EditableNode, { cid, size, fileSize }: FileNode): void {
  node.links.push({ name: '', cid, size })
  node.unixfs.blockSizes.push(fileSize)
}
