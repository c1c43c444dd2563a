import { allocate } from '../allocate.js'
import { Chunk } from './chunk.js'

/** Chunks below this size have memory of their own: it is small, and most files are. */
const smallestPooled = 65_536

/**
 * Memory for the chunks of large files, used again and again. The garbage collector counts memory outside of
 * its heap: with new memory for every chunk it would go through the whole heap for every few mebibytes.
 */
export interface ChunkPool {
  newChunk(capacity: number): Chunk
  /** Takes back the memory that a block lies in, when it is the pool's. */
  giveBack(block: Uint8Array): void
}

/** A new pool without any memory. */
export function createChunkPool(): ChunkPool {
  const lent = new Map<ArrayBufferLike, Uint8Array>()
  const free: Uint8Array[] = []

  function take(length: number): Uint8Array {
    const last = free.pop()
    const memory = last && last.length >= length ? last : allocate(length)
    lent.set(memory.buffer, memory)
    return memory.subarray(0, length)
  }

  return {
    newChunk(capacity) {
      const length = Chunk.memoryLength(capacity)
      return new Chunk(capacity < smallestPooled ? allocate(length) : take(length))
    },
    giveBack({ buffer }) {
      const memory = lent.get(buffer)
      if (memory === undefined) return
      lent.delete(buffer)
      free.push(memory)
    },
  }
}
