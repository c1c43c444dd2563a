import type { Writable } from 'node:stream'
import type { Reply } from '../rpc/reply.js'

/** FIN and the opcode of text (RFC 6455, section 5.2). */
const wholeText = 0x81
/** Payloads that are longer than the first says their length in two bytes more, than the second in eight. */
const longestShort = 125
const longestMedium = 0xffff

/**
 * The head of an unmasked frame that is a whole message of text (RFC 6455, section 5.2), one character for each byte.
 *
 * @param length of the payload in bytes
 */
export function formatFrameHead(length: number): string {
  if (length <= longestShort) return String.fromCharCode(wholeText, length)
  if (length <= longestMedium) return String.fromCharCode(wholeText, 126, length >>> 8, length & 0xff)
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(length))
  return String.fromCharCode(wholeText, 127, ...bytes)
}

/**
 * Answers that wait for each other at most: so few that the other side reads the first while the next are made, so many
 * that the system's part of a write is small for each.
 */
const mostGathered = 8

/**
 * Writes replies as frames, and those to messages that came together in few writes. It takes the place of ws's Sender,
 * which makes a head of bytes for each message and writes it beside the payload; without masks and compression there is
 * no more to do than this.
 */
export class ReplyFrames {
  readonly #stream: Writable
  #text = ''
  #gathered = 0
  readonly #flush = (): void => this.flush()

  constructor(stream: Writable) {
    this.#stream = stream
  }

  /** Writes a reply, at the end of this tick at the latest. A close frame needs a `flush` before it. */
  write(reply: Reply): void {
    const { byteText, byteLength } = reply
    const head = formatFrameHead(byteLength)
    if (byteText === undefined) {
      this.flush()
      this.#stream.cork()
      this.#stream.write(head, 'latin1')
      for (const piece of reply.pieces) this.#stream.write(piece)
      this.#stream.uncork()
      return
    }
    this.#text += head + byteText
    this.#gathered += 1
    if (this.#gathered === mostGathered) this.flush()
    else if (this.#gathered === 1) process.nextTick(this.#flush)
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#gathered === 0) return
    this.#stream.write(this.#text, 'latin1')
    this.#text = ''
    this.#gathered = 0
  }
}
