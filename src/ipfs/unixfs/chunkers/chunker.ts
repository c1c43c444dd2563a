import type { Chunk, NewChunk } from '../chunk.js'

/** Cuts a stream of bytes into chunks, copies in memory of `newChunk`: the pieces that come are the network's. */
export type Chunker = (source: AsyncIterable<Uint8Array>, newChunk: NewChunk) => AsyncIterable<Chunk>
