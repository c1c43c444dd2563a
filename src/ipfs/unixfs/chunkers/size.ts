import type { Chunker } from '../chunker.js'
import { takeBytes } from './takeBytes.js'

/** Chunks of one size; the last may be shorter. */
export function fixedSize(size: number): Chunker {
  return async function* (source) {
    const pieces: Uint8Array[] = []
    let length = 0
    for await (const bytes of source) {
      if (bytes.length === 0) continue
      pieces.push(bytes)
      length += bytes.length
      for (; length >= size; length -= size) yield takeBytes(pieces, size)
    }
    if (length > 0) yield takeBytes(pieces, length)
  }
}
