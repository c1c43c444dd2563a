import { codecCode } from '../cid/cidFormat.js'
import type { BlockWriter } from './blockWriter.js'
import { type Chunk, type NewChunk, createChunker, singleChunkLimit } from './chunker.js'
import { type UnixfsMetadata, type UnixfsType, encodeLeaf, unixfsType } from './data.js'
import { type StoredNode, writeNode } from './node.js'
import type { ImportSettings } from './settings.js'

/** The content of a file; `whole` is all of it, where it is known already. */
export type FileContent = AsyncIterable<Uint8Array> & { readonly whole?: Uint8Array | undefined }

/**
 * Cuts content into chunks and stores the DAG of the file they make. Whole content of one chunk is handed over to
 * the writer at once, and the caller waits for room before it goes on.
 */
export type FileBuilder = (content: FileContent, metadata?: UnixfsMetadata) => FileNode | Promise<FileNode>

/** A builder of files with the same settings. */
export function createFileBuilder(settings: ImportSettings, writer: BlockWriter): FileBuilder {
  const cut = createChunker(settings.chunker)
  const parts = createFileParts({ writer, rawLeaves: settings.rawLeaves, maxLinks: settings.maxFileLinks })
  const layout = settings.layout === 'trickle' ? trickleLayout : balancedLayout
  const leafLimit = settings.layout === 'trickle' ? -1 : singleChunkLimit(settings.chunker)
  return (content, metadata = {}) => {
    const { whole } = content
    if (whole === undefined || whole.length > leafLimit) {
      return layout(cut(content, writer.newChunk), parts, metadata)
    }
    const chunk = writer.newChunk(whole.length)
    chunk.append(whole)
    return parts.putLeaf(chunk, unixfsType.file, metadata)
  }
}

/** The parts that files are built from, stored by a writer. */
export function createFileParts(options: {
  writer: BlockWriter
  rawLeaves: boolean
  maxLinks: number
  /** Refuses raw leaves of a length. */
  checkLeaf?: (length: number) => void
}): FileParts {
  const { writer, rawLeaves, maxLinks, checkLeaf } = options

  function putLeaf(chunk: Chunk, type: UnixfsType, metadata: UnixfsMetadata = {}): FileNode {
    const { content } = chunk
    const fileSize = content.length
    if (rawLeaves) checkLeaf?.(fileSize)
    if (rawLeaves) return { cid: writer.put(codecCode.raw, content), size: fileSize, fileSize }
    const block = encodeLeaf(chunk, type, metadata)
    return { cid: writer.put(codecCode.dagPb, block), size: block.length, fileSize }
  }

  return {
    maxLinks,
    newChunk: writer.newChunk,
    putLeaf,
    async leaf(chunk, type, metadata) {
      const node = putLeaf(chunk, type, metadata)
      await writer.room()
      return node
    },
    async parent(children, metadata = {}) {
      const blockSizes = children.map((child) => child.fileSize)
      const fileSize = blockSizes.reduce((sum, size) => sum + size, 0)
      const links = children.map(({ cid, size }) => ({ name: '', cid, size }))
      const message = { ...metadata, type: unixfsType.file, fileSize, blockSizes }
      return { ...(await writeNode(writer, message, links)), fileSize }
    },
  }
}

/** A stored node of a file. */
export interface FileNode extends StoredNode {
  /** Bytes of the file below the node. */
  fileSize: number
}

/** What a layout builds a file from. */
export interface FileParts {
  maxLinks: number
  newChunk: NewChunk
  /** Stores a chunk as a leaf; the caller waits for room in the writer before it goes on. */
  putLeaf(chunk: Chunk, type: UnixfsType, metadata?: UnixfsMetadata): FileNode
  /** Stores a chunk as a leaf. */
  leaf(chunk: Chunk, type: UnixfsType, metadata?: UnixfsMetadata): Promise<FileNode>
  /** Stores a node above others. */
  parent(children: FileNode[], metadata?: UnixfsMetadata): Promise<FileNode>
}

/** Builds the DAG of a file and returns its root. */
export type FileLayout = (
  chunks: AsyncIterable<Chunk>,
  parts: FileParts,
  metadata: UnixfsMetadata,
) => Promise<FileNode>

/**
 * All leaves at one depth, every node filled with as many links as allowed before the next is begun
 * (boxo, `importer/balanced`). A file of one chunk is a leaf alone. The metadata goes to the root.
 */
export const balancedLayout: FileLayout = async (chunks, parts, metadata) => {
  let first: Chunk | undefined
  const levels: FileNode[][] = []
  for await (const chunk of chunks) {
    if (first === undefined) {
      first = chunk
      continue
    }
    if (levels.length === 0) await append(levels, 0, await parts.leaf(first, unixfsType.file), parts)
    await append(levels, 0, await parts.leaf(chunk, unixfsType.file), parts)
  }
  if (levels.length === 0) return parts.leaf(first ?? parts.newChunk(0), unixfsType.file, metadata)

  for (let depth = 0; depth < levels.length - 1; depth++) {
    await append(levels, depth + 1, await parts.parent(levels[depth] as FileNode[]), parts)
  }
  return parts.parent(levels.at(-1) as FileNode[], metadata)
}

/** Adds a node to a level; a full level is closed only when one more node comes, so that the root stays open. */
async function append(levels: FileNode[][], depth: number, node: FileNode, parts: FileParts): Promise<void> {
  const nodes = levels[depth]
  if (nodes === undefined) levels.push([node])
  else if (nodes.length < parts.maxLinks) nodes.push(node)
  else {
    levels[depth] = [node]
    await append(levels, depth + 1, await parts.parent(nodes), parts)
  }
}

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
