import type { IncomingMessage } from 'node:http'

/** A request's body, or what stopped it from being read. */
export type Body = { content: Buffer | string } | { tooLong: true }

/**
 * Reads a whole body of at most `limit` bytes.
 *
 * `done` is called once, at the end or as soon as the limit is passed; never if the client goes away first. A
 * callback rather than a promise: this stands on the path of every JSON-RPC request.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: Body) => void): void {
  let first: Buffer | undefined
  let others: Buffer[] | undefined
  let length = 0
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length > limit) {
      request.off('data', onData)
      request.off('end', onEnd)
      request.resume()
      done({ tooLong: true })
    } else if (first === undefined) first = chunk
    else (others ??= [first]).push(chunk)
  }
  const onEnd = (): void => {
    if (others !== undefined) done({ content: Buffer.concat(others, length) })
    else done({ content: first ?? Buffer.alloc(0) })
  }
  request.on('data', onData)
  request.on('end', onEnd)
}

/** Bytes that may lie here unread before the client has to wait. */
const mostUnread = 512 * 1024

/**
 * A request's body that stops when it has grown longer than one request may be. It is taken from the request's events:
 * the request's own iterator stops and starts the socket for every piece, which costs a tenth of a large upload.
 */
export class UploadBody implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  tooLong = false
  /** Bytes so far. */
  length = 0
  readonly #request: IncomingMessage
  readonly #limit: number
  readonly #unread: Buffer[] = []
  #unreadBytes = 0
  #isListening = false
  #hasEnded = false
  #failure: { error: Error } | undefined
  #wake: (() => void) | undefined

  constructor(request: IncomingMessage, limit = Infinity) {
    this.#request = request
    this.#limit = limit
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#isListening) this.#listen()
    while (this.#unread.length === 0 && !this.#hasEnded && this.#failure === undefined) {
      this.#request.resume()
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
    const piece = this.#unread.shift()
    if (piece === undefined) {
      if (this.#failure) throw this.#failure.error
      return { done: true, value: undefined }
    }
    this.#unreadBytes -= piece.length
    this.length += piece.length
    if (this.length > this.#limit) {
      this.tooLong = true
      await this.return()
      throw new Error('payload too large')
    }
    return { done: false, value: piece }
  }

  /** What is still to come is not wanted: it is read all the same, so that the connection's next request is. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#request.off('data', this.#onData)
    this.#request.resume()
    this.#hasEnded = true
    this.#unread.length = 0
    return { done: true, value: undefined }
  }

  #listen(): void {
    this.#isListening = true
    this.#request.on('data', this.#onData)
    this.#request.once('end', () => {
      this.#hasEnded = true
      this.#wake?.()
    })
    this.#request.once('error', (error) => this.#fail(error))
    this.#request.once('close', () => this.#fail(new Error('aborted')))
  }

  #fail(error: Error): void {
    if (!this.#hasEnded) this.#failure ??= { error }
    this.#wake?.()
  }

  readonly #onData = (piece: Buffer): void => {
    this.#unread.push(piece)
    this.#unreadBytes += piece.length
    if (this.#unreadBytes >= mostUnread) this.#request.pause()
    this.#wake?.()
  }
}
