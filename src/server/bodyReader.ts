import type { Readable } from 'node:stream'
import { whenReady } from '../encoding/timeSlice.js'
import { IncomingMemory } from './incomingMemory.js'
import { type Body, BodyPieces, ShortPiecePacer } from './request.js'

/**
 * Reads a whole body of at most `limit` bytes; never resolves if the client disconnects first. Its client waits while
 * other bodies hold too much memory.
 */
export function readBody(stream: Readable, limit: number): Promise<Body> {
  return new Promise((resolve) => new BodyReader(stream, limit, resolve))
}

/** Reads a body once. */
class BodyReader {
  readonly #stream: Readable
  readonly #limit: number
  readonly #resolve: (body: Body) => void
  readonly #pieces = new BodyPieces()
  readonly #pacer: ShortPiecePacer
  readonly #memory: IncomingMemory
  /** Whether the client waits for memory. */
  #isWaiting = false

  constructor(stream: Readable, limit: number, resolve: (body: Body) => void) {
    this.#stream = stream
    this.#limit = limit
    this.#resolve = resolve
    this.#memory = new IncomingMemory(() => stream.destroy())
    this.#pacer = new ShortPiecePacer(stream, () => {
      if (!this.#isWaiting) stream.resume()
    })
    stream.on('data', this.#onData)
    stream.on('end', this.#onEnd)
    stream.on('error', ignore)
    stream.on('close', this.#discard)
  }

  readonly #onData = (piece: Buffer): void => {
    this.#pieces.add(piece)
    this.#pacer.received(piece)
    if (this.#pieces.length > this.#limit) {
      this.#discard()
      this.#stream.resume()
      this.#resolve({ tooLong: true })
      return
    }
    const granted = this.#memory.receive(piece.length)
    if (granted !== undefined) void this.#waitFor(granted)
  }

  readonly #onEnd = (): void => {
    this.#stream.off('close', this.#discard)
    const release = this.#memory.complete()
    void whenReady(this.#pieces.concat(), (content) => this.#resolve({ content, release }))
  }

  readonly #discard = (): void => {
    this.#stream.off('data', this.#onData)
    this.#stream.off('end', this.#onEnd)
    this.#pieces.clear()
    this.#memory.end()
  }

  async #waitFor(granted: Promise<void>): Promise<void> {
    this.#isWaiting = true
    this.#stream.pause()
    await granted
    this.#isWaiting = false
    this.#stream.resume()
  }
}

function ignore(): void {
  // `close` follows.
}
