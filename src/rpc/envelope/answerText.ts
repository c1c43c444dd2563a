import { isAscii } from 'node:buffer'
import { latin1 } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { decodeTextInPieces } from './body.js'

/** Bytes copied in one step. The system provides memory page by page, which takes longer than the copy. */
const BYTES_AT_ONCE = 1024 * 1024

/**
 * Decodes another node's answer, read in chunks, as UTF-8. The text is copied once in one step, outside V8's heap if it
 * is ASCII, as JSON mostly is: there sixty megabytes take half as long.
 */
export function* decodeAnswerInPieces(chunks: readonly Uint8Array[]): Steps<string> {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  if (length <= BYTES_AT_ONCE) return Buffer.concat(chunks, length).toString('utf8')
  const bytes = Buffer.allocUnsafeSlow(length)
  let isPlain = true
  let end = 0
  for (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += BYTES_AT_ONCE) {
      const part = chunk.subarray(start, start + BYTES_AT_ONCE)
      isPlain &&= isAscii(part)
      bytes.set(part, end)
      end += part.length
      yield
    }
  }
  return isPlain ? latin1(bytes) : yield* decodeTextInPieces(bytes)
}
