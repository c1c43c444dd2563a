import { isAscii } from 'node:buffer'
import { StringDecoder } from 'node:string_decoder'
import { latin1 } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'

/** Bytes copied or decoded in one step. The system provides memory page by page, which takes longer than the copy. */
const BYTES_AT_ONCE = 1024 * 1024

/**
 * Decodes a text that was read in chunks as UTF-8. It is copied once in one step, outside V8's heap if it is ASCII, as
 * JSON mostly is: there sixty megabytes take half as long.
 */
export function* decodeChunks(chunks: readonly Uint8Array[]): Steps<string> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (length <= BYTES_AT_ONCE) return Buffer.concat(chunks, length).toString('utf8')
  const bytes = yield* joinChunks(chunks)
  for (let start = 0; start < length; start += BYTES_AT_ONCE) {
    if (!isAscii(bytes.subarray(start, start + BYTES_AT_ONCE))) return yield* decodeTextInSteps(bytes)
    yield
  }
  return latin1(bytes)
}

/** Concatenates chunks. */
export function* joinChunks(chunks: readonly Uint8Array[]): Steps<Uint8Array> {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const bytes = Buffer.allocUnsafeSlow(length)
  let end = 0
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += BYTES_AT_ONCE) {
      const part = chunk.subarray(start, start + BYTES_AT_ONCE)
      bytes.set(part, end)
      end += part.length
      yield
    }
  }
  return bytes
}

/** Decodes UTF-8 incrementally. */
function* decodeTextInSteps(body: Uint8Array): Steps<string> {
  const decoder = new StringDecoder('utf8')
  const pieces: string[] = []
  for (let start = 0; start < body.length; start += BYTES_AT_ONCE) {
    const { buffer, byteOffset } = body
    const length = Math.min(BYTES_AT_ONCE, body.length - start)
    pieces.push(decoder.write(Buffer.from(buffer, byteOffset + start, length)))
    yield
  }
  pieces.push(decoder.end())
  return pieces.join('')
}
