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
