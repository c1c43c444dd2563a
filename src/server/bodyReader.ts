import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers'
import { MemoryShare, requestBodies } from '../encoding/memoryShare.js'
import { whenReady } from '../encoding/timeSlice.js'
import { type Body, BodyPieces, ShortPiecePacer } from './request.js'

/** Approximate bytes that a byte of a body takes as bytes, text and values. */
const MEMORY_PER_BYTE = 4

/** Milliseconds without data after which the connection of a body that holds memory is closed. */
const STALL_TIMEOUT = 10_000

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
  readonly #memory = new MemoryShare(requestBodies)
  /** Whether the client waits for memory. */
  #isWaiting = false
  #stallTimer: NodeJS.Timeout | undefined

  constructor(stream: Readable, limit: number, resolve: (body: Body) => void) {
    this.#stream = stream
    this.#limit = limit
    this.#resolve = resolve
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
    const granted = this.#memory.hold(MEMORY_PER_BYTE * piece.length)
    if (granted !== undefined) void this.#waitFor(granted)
    else if (this.#memory.granted > 0) this.#watch()
  }

  readonly #onEnd = (): void => {
    clearTimeout(this.#stallTimer)
    this.#stream.off('close', this.#discard)
    const memory = this.#memory
    void whenReady(this.#pieces.concat(), (content) => this.#resolve({ content, memory }))
  }

  readonly #discard = (): void => {
    clearTimeout(this.#stallTimer)
    this.#stream.off('data', this.#onData)
    this.#stream.off('end', this.#onEnd)
    this.#pieces.clear()
    this.#memory.end()
  }

  async #waitFor(granted: Promise<void>): Promise<void> {
    clearTimeout(this.#stallTimer)
    this.#isWaiting = true
    this.#stream.pause()
    await granted
    this.#isWaiting = false
    if (this.#stream.destroyed) return
    this.#stream.resume()
    this.#watch()
  }

  #watch(): void {
    clearTimeout(this.#stallTimer)
    this.#stallTimer = setTimeout(() => this.#stream.destroy(), STALL_TIMEOUT)
  }
}

function ignore(): void {
  // `close` follows.
}
