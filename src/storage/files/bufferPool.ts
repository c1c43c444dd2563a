import { plainBytes } from '../../encoding/hex.js'

/** Bytes of free buffers, at most. */
const FREE_LIMIT = 8 * 1024 * 1024
/** Bytes of acquired buffers up to which readers may fetch what they do not need yet. */
const READ_AHEAD_LIMIT = 64 * 1024 * 1024

/** The bytes of a block in a buffer that others may be reading too, valid until it is released. */
export interface PooledBlock {
  bytes: Uint8Array
  /** To be called once. */
  release(): void
}

interface PooledBuffer {
  memory: Uint8Array
  filled: Promise<Uint8Array>
  readers: number
}

/**
 * Buffers of the blocks that are being read at this moment; they are reused for others afterwards. A thousand readers
 * of one block share its buffer, and a long read does not feed the garbage collector a block after the other, which costs
 * twice as much processor time.
 */
export class BufferPool {
  readonly #buffers = new Map<string, PooledBuffer>()
  readonly #free: Uint8Array[] = []
  #freeBytes = 0
  #acquiredBytes = 0

  /** Whether so little is acquired that readers may fetch blocks ahead: a thousand readers have one block each. */
  get mayReadAhead(): boolean {
    return this.#acquiredBytes < READ_AHEAD_LIMIT
  }

  /**
   * The block with a name: what readers have of it already, or what `fill` puts into `length` bytes.
   *
   * @param fill - reads into memory and returns how much of it was filled
   */
  async acquire(
    name: string,
    length: number,
    fill: (memory: Uint8Array) => Promise<Uint8Array>,
  ): Promise<PooledBlock> {
    let buffer = this.#buffers.get(name)
    if (buffer === undefined) {
      const memory = this.#take(length)
      buffer = { memory, filled: fill(memory.subarray(0, length)), readers: 0 }
      this.#buffers.set(name, buffer)
      this.#acquiredBytes += memory.length
    }
    buffer.readers++
    const acquired = buffer
    const release = (): void => this.#release(name, acquired)
    try {
      return { bytes: await buffer.filled, release }
    } catch (error) {
      release()
      throw error
    }
  }

  #take(length: number): Uint8Array {
    const index = this.#free.findLastIndex((memory) => memory.length >= length && memory.length < 2 * length)
    const [found] = index < 0 ? [] : this.#free.splice(index, 1)
    if (found === undefined) return plainBytes(Buffer.allocUnsafeSlow(length))
    this.#freeBytes -= found.length
    return found
  }

  #release(name: string, buffer: PooledBuffer): void {
    buffer.readers--
    if (buffer.readers > 0) return
    this.#buffers.delete(name)
    this.#acquiredBytes -= buffer.memory.length
    if (this.#freeBytes + buffer.memory.length > FREE_LIMIT) return
    this.#free.push(buffer.memory)
    this.#freeBytes += buffer.memory.length
  }
}
