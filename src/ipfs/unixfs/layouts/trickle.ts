import type { Chunk, NewChunk } from '../chunk.js'
import { unixfsType } from '../data.js'
import type { FileLayout, FileNode, FileParts } from './layout.js'

/** Subtrees of one depth under a node before the depth grows (boxo, `importer/trickle`). */
export const repeats = 4

/** One chunk ahead of the reader, to know whether there is more. */
export interface ChunkQueue {
  next: Chunk | undefined
  take(): Promise<Chunk>
}

/** The chunks of an iteration as a queue. */
export async function createChunkQueue(
  chunks: AsyncIterable<Chunk>,
  newChunk: NewChunk,
): Promise<ChunkQueue> {
  const iterator = chunks[Symbol.asyncIterator]()
  const pull = async (): Promise<Chunk | undefined> => {
    const result = await iterator.next()
    return result.done ? undefined : result.value
  }
  const queue: ChunkQueue = {
    next: await pull(),
    async take() {
      const chunk = queue.next ?? newChunk(0)
      queue.next = await pull()
      return chunk
    },
  }
  return queue
}

/**
 * Every node first takes as many leaves as it may have links, then subtrees of growing depth, four of
 * each. The metadata goes to the root.
 */
export const trickleLayout: FileLayout = async (chunks, parts, metadata) => {
  const queue = await createChunkQueue(chunks, parts.newChunk)
  return parts.parent(await fillTrickle(queue, parts, Infinity), metadata)
}

/** The children of a node: leaves, and subtrees that are less deep than it may be. */
export async function fillTrickle(
  queue: ChunkQueue,
  parts: FileParts,
  maxDepth: number,
): Promise<FileNode[]> {
  const children: FileNode[] = []
  while (children.length < parts.maxLinks && queue.next) {
    children.push(await parts.leaf(await queue.take(), unixfsType.raw))
  }
  for (let depth = 1; depth < maxDepth && queue.next; depth++) {
    for (let repeat = 0; repeat < repeats && queue.next; repeat++) {
      children.push(await parts.parent(await fillTrickle(queue, parts, depth)))
    }
  }
  return children
}
