import { plainBytes } from '../../encoding/hex.js'

/** Maximum bytes of free buffers. */
const FREE_LIMIT = 8 * 1024 * 1024
/** Maximum bytes of acquired buffers at which readers may still read ahead. */
const READ_AHEAD_LIMIT = 64 * 1024 * 1024

/** Bytes of a block in a buffer shared with other readers, valid until released. */
export interface PooledBlock {
  bytes: Uint8Array
  /** Call this exactly once. */
  release(): void
}

interface PooledBuffer {
  memory: Uint8Array
  filled: Promise<Uint8Array>
  readers: number
}

/**
 * Buffers of the blocks being read right now, reused for others afterwards. A thousand readers of one block share its
 * buffer, and a long read does not produce garbage block after block, which takes twice as much processor time.
 */
export class BufferPool {
  readonly #buffers = new Map<string, PooledBuffer>()
  readonly #free: Uint8Array[] = []
  #freeBytes = 0
  #acquiredBytes = 0

  /** Whether readers may read ahead. Few bytes must be acquired: a thousand readers have one block each. */
  get mayReadAhead(): boolean {
    return this.#acquiredBytes < READ_AHEAD_LIMIT
  }

  /**
   * Acquires a block by name: from another reader's buffer, or by calling `fill` with `length` bytes.
   *
   * @param fill - reads into memory and returns the filled part
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
