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
 * Writes a reply as one frame. It takes the place of ws's Sender, which makes a head of bytes for each message and
 * writes it beside the payload; without masks and compression there is no more to do than this.
 */
export function writeReplyFrame(stream: Writable, reply: Reply): void {
  const { byteText, byteLength } = reply
  const head = formatFrameHead(byteLength)
  if (byteText !== undefined) {
    stream.write(head + byteText, 'latin1')
    return
  }
  stream.write(head, 'latin1')
  for (const piece of reply.pieces) stream.write(piece)
}
