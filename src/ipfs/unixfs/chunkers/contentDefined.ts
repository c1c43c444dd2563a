import type { Chunker } from '../chunker.js'
import { takeBytes } from './takeBytes.js'

/** Chunks that end where their content says so: `findEnd` has the length of the first chunk of some bytes. */
export function contentDefined(maxSize: number, findEnd: (bytes: Uint8Array) => number): Chunker {
  return async function* (source) {
    const pieces: Uint8Array[] = []
    let length = 0

    function cut(available: number): Uint8Array {
      const bytes = takeBytes(pieces, available)
      const end = findEnd(bytes)
      length -= end
      if (end === bytes.length) return bytes
      pieces.unshift(bytes.subarray(end))
      return bytes.slice(0, end)
    }

    for await (const bytes of source) {
      if (bytes.length === 0) continue
      pieces.push(bytes)
      length += bytes.length
      while (length >= maxSize) yield cut(maxSize)
    }
    while (length > 0) yield cut(length)
  }
}
