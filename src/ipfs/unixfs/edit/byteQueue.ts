import { allocate } from '../../allocate.js'

/** Bytes of a stream, taken in pieces of any length. */
export class ByteQueue {
  private readonly source: AsyncIterator<Uint8Array>
  private piece: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /** Whether there are no more bytes. */
  async isEmpty(): Promise<boolean> {
    while (this.piece.length === 0) {
      const next = await this.source.next()
      if (next.done) return true
      this.piece = next.value
    }
    return false
  }

  /** The next bytes, copied: so many, or fewer where the stream ends. */
  async take(length: number): Promise<Uint8Array> {
    const taken = allocate(length)
    let filled = 0
    while (filled < length && !(await this.isEmpty())) {
      const part = this.piece.subarray(0, length - filled)
      taken.set(part, filled)
      filled += part.length
      this.piece = this.piece.subarray(part.length)
    }
    return taken.subarray(0, filled)
  }

  /** All that is left, in the pieces in which it comes. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while (!(await this.isEmpty())) {
      const { piece } = this
      this.piece = new Uint8Array()
      yield piece
    }
  }
}
