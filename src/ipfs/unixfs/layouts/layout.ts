import type { Chunk, NewChunk } from '../chunk.js'
import type { UnixfsMetadata, UnixfsType } from '../data.js'
import type { StoredNode } from '../node.js'

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
