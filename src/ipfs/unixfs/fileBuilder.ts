import { codecCode } from '../cid/makeCid.js'
import type { BlockWriter } from './blockWriter.js'
import type { Chunk, NewChunk } from './chunk.js'
import { createChunker } from './chunker.js'
import { encodeLeaf, unixfsType } from './data.js'
import type { UnixfsMetadata, UnixfsType } from './data.js'
import { balancedLayout } from './layouts/balanced.js'
import { trickleLayout } from './layouts/trickle.js'
import { writeNode } from './node.js'
import type { StoredNode } from './node.js'
import type { ImportSettings } from './settings.js'

/** A stored node of a file. */
export interface FileNode extends StoredNode {
  /** Bytes of the file below the node. */
  fileSize: number
}

/** What a layout builds a file from. */
export interface FileParts {
  maxLinks: number
  newChunk: NewChunk
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

/** Cuts content into chunks and stores the DAG of the file they make. */
export async function buildFile(options: {
  content: AsyncIterable<Uint8Array>
  settings: ImportSettings
  writer: BlockWriter
  metadata?: UnixfsMetadata | undefined
}): Promise<FileNode> {
  const { content, settings, writer, metadata = {} } = options
  const chunks = createChunker(settings.chunker)(content, writer.newChunk)
  const parts = createFileParts({ writer, rawLeaves: settings.rawLeaves, maxLinks: settings.maxFileLinks })
  const layout = settings.layout === 'trickle' ? trickleLayout : balancedLayout
  return layout(chunks, parts, metadata)
}

/** The parts that files are built from, stored by a writer. */
export function createFileParts(options: {
  writer: BlockWriter
  rawLeaves: boolean
  maxLinks: number
}): FileParts {
  const { writer, rawLeaves, maxLinks } = options
  return {
    maxLinks,
    newChunk: writer.newChunk,
    async leaf(chunk, type, metadata = {}) {
      const { content } = chunk
      const fileSize = content.length
      if (rawLeaves) {
        return { cid: await writer.write(codecCode.raw, content), size: fileSize, fileSize }
      }
      const block = encodeLeaf(chunk, { ...metadata, type, fileSize })
      return { cid: await writer.write(codecCode.dagPb, block), size: block.length, fileSize }
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
