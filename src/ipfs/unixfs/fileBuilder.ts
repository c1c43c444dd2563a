import { codecCode } from '../cid/makeCid.js'
import type { BlockWriter } from './blockWriter.js'
import type { Chunk } from './chunk.js'
import { createChunker, singleChunkLimit } from './chunker.js'
import { encodeLeaf, unixfsType } from './data.js'
import type { UnixfsMetadata, UnixfsType } from './data.js'
import { balancedLayout } from './layouts/balanced.js'
import { trickleLayout } from './layouts/trickle.js'
import { writeNode } from './node.js'
import type { ImportSettings } from './settings.js'
import type { FileNode, FileParts } from './layouts/layout.js'

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
}): FileParts {
  const { writer, rawLeaves, maxLinks } = options

  function putLeaf(chunk: Chunk, type: UnixfsType, metadata: UnixfsMetadata = {}): FileNode {
    const { content } = chunk
    const fileSize = content.length
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
