/** More than the fields around the content of a leaf can take (UnixFS `Data` within a dag-pb node). */
const roomInFront = 32
const roomBehind = 64

/** A piece of a file in memory that has room around it, so that its block is made where it lies. */
export class Chunk {
  readonly capacity: number
  private readonly memory: Uint8Array
  private length = 0

  /** An empty chunk in memory of {@link Chunk.memoryLength} bytes. */
  constructor(memory: Uint8Array) {
    this.memory = memory
    this.capacity = memory.length - roomInFront - roomBehind
  }

  /** Bytes of memory that a chunk of up to `capacity` bytes takes. */
  static memoryLength(capacity: number): number {
    return roomInFront + capacity + roomBehind
  }

  get isFull(): boolean {
    return this.length === this.capacity
  }

  get content(): Uint8Array {
    return this.memory.subarray(roomInFront, roomInFront + this.length)
  }

  /** Copies as many bytes as there is room for and returns their number. */
  append(bytes: Uint8Array): number {
    const taken =
      bytes.length <= this.capacity - this.length ? bytes : bytes.subarray(0, this.capacity - this.length)
    this.memory.set(taken, roomInFront + this.length)
    this.length += taken.length
    return taken.length
  }

  /** Leaves the first bytes and forgets the rest. */
  truncate(length: number): void {
    this.length = Math.min(this.length, length)
  }

  /** Puts bytes in front of the content and behind it, and returns all as one, in the chunk's memory. */
  wrap(head: Uint8Array, tail: Uint8Array): Uint8Array {
    const start = roomInFront - head.length
    const end = roomInFront + this.length
    this.memory.set(head, start)
    this.memory.set(tail, end)
    return this.memory.subarray(start, end + tail.length)
  }
}

/** Makes an empty chunk with room for a number of bytes. */
export type NewChunk = (capacity: number) => Chunk

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

/** Up to this size memory comes from Node's shared pool, which is much cheaper than memory of one's own. */
const pooledLimit = 4096

/**
 * Memory for a block on its way to the store, not zeroed. Large blocks get memory of their own, so that
 * it can be given back; small ones share, which is harmless as long as nobody keeps them for long.
 */
export function allocate(length: number): Uint8Array {
  const bytes = length <= pooledLimit ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length)
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length)
}
