import type { Chunk } from '../chunk.js'
import { unixfsType } from '../data.js'
import type { FileLayout, FileNode, FileParts } from '../fileBuilder.js'

/** Subtrees of one depth under a node before the depth grows (boxo, `importer/trickle`). */
const repeats = 4

/** One chunk ahead of the reader, to know whether there is more. */
interface ChunkQueue {
  next: Chunk | undefined
  take(): Promise<Chunk>
}

/**
 * Every node first takes as many leaves as it may have links, then subtrees of growing depth, four of
 * each. The metadata goes to the root.
 */
export const trickleLayout: FileLayout = async (chunks, parts, metadata) => {
  const iterator = chunks[Symbol.asyncIterator]()
  const pull = async (): Promise<Chunk | undefined> => {
    const result = await iterator.next()
    return result.done ? undefined : result.value
  }
  const queue: ChunkQueue = {
    next: await pull(),
    async take() {
      const chunk = this.next ?? parts.newChunk(0)
      this.next = await pull()
      return chunk
    },
  }
  return parts.parent(await fill(queue, parts, Infinity), metadata)
}

async function fill(queue: ChunkQueue, parts: FileParts, maxDepth: number): Promise<FileNode[]> {
  const children: FileNode[] = []
  while (children.length < parts.maxLinks && queue.next) {
    children.push(await parts.leaf(await queue.take(), unixfsType.raw))
  }
  for (let depth = 1; depth < maxDepth && queue.next; depth++) {
    for (let repeat = 0; repeat < repeats && queue.next; repeat++) {
      children.push(await parts.parent(await fill(queue, parts, depth)))
    }
  }
  return children
}
