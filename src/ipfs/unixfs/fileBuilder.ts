import { type Awaitable, type Steps, TimeSlice, runWithin } from '../../encoding/timeSlice.js'
import { codecCode } from '../cid/cidFormat.js'
import { FileNetworkError } from '../errors.js'
import type { BlockWriter } from './blockWriter.js'
import { type Chunk, type Chunker, type NewChunk, createChunker, singleChunkLimit } from './chunker.js'
import { type UnixfsMetadata, type UnixfsType, encodeLeaf, unixfsType } from './data.js'
import { type StoredNode, type UnixfsLink, writeNode } from './node.js'
import type { ImportSettings } from './settings.js'

/** The content of a file; `whole` is all of it, if already in memory. */
export type FileContent = AsyncIterable<Uint8Array> & { readonly whole?: Uint8Array | undefined }

/**
 * Chunks content and stores it as the DAG of a file. Content given whole that fits one chunk is queued synchronously;
 * the caller must then await the writer's room before it continues.
 */
export type FileBuilder = (content: FileContent, metadata?: UnixfsMetadata) => Awaitable<FileNode>

/**
 * Creates a builder that uses the same settings for every file.
 *
 * @throws {@link FileNetworkError} with the first file if the chunker is invalid
 */
export function createFileBuilder(settings: ImportSettings, writer: BlockWriter): FileBuilder {
  let cutting: { cut: Chunker; leafLimit: number } | undefined
  const parts = createFileParts({ writer, rawLeaves: settings.rawLeaves, maxLinks: settings.maxFileLinks })
  const layout = settings.layout === 'trickle' ? trickleLayout : balancedLayout
  return (content, metadata = {}) => {
    const { whole } = content
    cutting ??= {
      cut: createChunker(settings.chunker),
      leafLimit: settings.layout === 'trickle' ? -1 : singleChunkLimit(settings.chunker),
    }
    const { cut, leafLimit } = cutting
    if (whole === undefined || whole.length > leafLimit) {
      return layout(cut(content, writer.newChunk), parts, metadata)
    }
    const chunk = writer.newChunk(whole.length)
    chunk.append(whole)
    return parts.putLeaf(chunk, unixfsType.file, metadata)
  }
}

/** Creates the parts from which layouts build files. */
export function createFileParts(options: {
  writer: BlockWriter
  rawLeaves: boolean
  maxLinks: number
  /** Rejects raw leaves of a given length. */
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
      const { links, blockSizes, fileSize } = await runWithin(linksTo(children), new TimeSlice())
      const message = { ...metadata, type: unixfsType.file, fileSize, blockSizes }
      return { ...(await writeNode(writer, message, links)), fileSize }
    },
  }
}

/** Children linked between two yields: the caller may allow a million in a node. */
const CHILDREN_AT_ONCE = 4096

/** Returns the links to children, their sizes, and the size of the file below them. */
function* linksTo(
  children: readonly FileNode[],
): Steps<{ links: UnixfsLink[]; blockSizes: number[]; fileSize: number }> {
  const links: UnixfsLink[] = []
  const blockSizes: number[] = []
  let total = 0
  for (const { cid, size, fileSize } of children) {
    blockSizes.push(fileSize)
    total += fileSize
    if (links.push({ name: '', cid, size }) % CHILDREN_AT_ONCE === 0) yield
  }
  return { links, blockSizes, fileSize: total }
}

/** A stored node of a file. */
export interface FileNode extends StoredNode {
  /** Bytes of the file below the node. */
  fileSize: number
}

/** Operations from which a layout builds a file. */
export interface FileParts {
  maxLinks: number
  newChunk: NewChunk
  /** Queues a chunk as a leaf. The caller must await the writer's room before it continues. */
  putLeaf(chunk: Chunk, type: UnixfsType, metadata?: UnixfsMetadata): FileNode
  /** Stores a chunk as a leaf and waits for room. */
  leaf(chunk: Chunk, type: UnixfsType, metadata?: UnixfsMetadata): Promise<FileNode>
  /** Stores a node that links to the children. */
  parent(children: FileNode[], metadata?: UnixfsMetadata): Promise<FileNode>
}

/** Builds the DAG of a file and returns its root. */
export type FileLayout = (
  chunks: AsyncIterable<Chunk>,
  parts: FileParts,
  metadata: UnixfsMetadata,
) => Promise<FileNode>

/**
 * Balanced layout: all leaves at the same depth, each node filled with links before the next is begun (boxo,
 * `importer/balanced`). A file of one chunk is a lone leaf. The metadata goes to the root.
 */
const balancedLayout: FileLayout = async (chunks, parts, metadata) => {
  let first: Chunk | undefined
  const levels: FileNode[][] = []
  for await (const chunk of chunks) {
    if (first === undefined) {
      first = chunk
      continue
    }
    if (levels.length === 0) await append(levels, 0, await parts.leaf(first, unixfsType.file), parts)
    if (parts.maxLinks < 2) throw new FileNetworkError('a file of several chunks needs nodes with two links')
    await append(levels, 0, await parts.leaf(chunk, unixfsType.file), parts)
  }
  if (levels.length === 0) return parts.leaf(first ?? parts.newChunk(0), unixfsType.file, metadata)

  for (let depth = 0; depth < levels.length - 1; depth++) {
    await append(levels, depth + 1, await parts.parent(levels[depth] as FileNode[]), parts)
  }
  return parts.parent(levels.at(-1) as FileNode[], metadata)
}

/** Adds a node to a level. A full level is closed only when another node arrives, so that the root stays open. */
async function append(levels: FileNode[][], depth: number, node: FileNode, parts: FileParts): Promise<void> {
  const nodes = levels[depth]
  if (nodes === undefined) levels.push([node])
  else if (nodes.length < parts.maxLinks) nodes.push(node)
  else {
    levels[depth] = [node]
    await append(levels, depth + 1, await parts.parent(nodes), parts)
  }
}

/** Subtrees of equal depth under a node before the depth grows (boxo, `importer/trickle`). */
export const REPEATS = 4

/** A queue that holds one chunk ahead of its reader, to tell whether there is more. */
export interface ChunkQueue {
  next: Chunk | undefined
  take(): Promise<Chunk>
}

/** Creates a queue over an iteration of chunks. */
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
 * Trickle layout: each node first holds as many leaves as it may have links, then subtrees of growing depth, four of
 * each. The metadata goes to the root.
 */
const trickleLayout: FileLayout = async (chunks, parts, metadata) => {
  const queue = await createChunkQueue(chunks, parts.newChunk)
  return parts.parent(await fillTrickle(queue, parts, Infinity), metadata)
}

/** Builds the children of a node: its leaves, then subtrees shallower than `maxDepth`. */
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
    for (let repeat = 0; repeat < REPEATS && queue.next; repeat++) {
      children.push(await parts.parent(await fillTrickle(queue, parts, depth)))
    }
  }
  return children
}
