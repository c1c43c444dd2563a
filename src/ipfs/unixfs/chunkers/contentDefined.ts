import type { Chunk } from '../chunk.js'
import type { Chunker } from './chunker.js'

/** Chunks that end where their content says so: `findEnd` has the length of the first chunk of some bytes. */
export function contentDefined(maxSize: number, findEnd: (bytes: Uint8Array) => number): Chunker {
  return async function* (source, newChunk) {
    let pieces: Uint8Array[] = []
    let length = 0

    function cut(): Chunk {
      const chunk = newChunk(Math.min(length, maxSize))
      let used = 0
      while (!chunk.isFull) {
        const piece = pieces[used] as Uint8Array
        const taken = chunk.append(piece)
        if (taken === piece.length) used++
        else pieces[used] = piece.subarray(taken)
      }
      pieces = pieces.slice(used)
      const { content } = chunk
      const end = findEnd(content)
      length -= end
      if (end < content.length) pieces.unshift(content.slice(end))
      chunk.truncate(end)
      return chunk
    }

    for await (const bytes of source) {
      if (bytes.length === 0) continue
      pieces.push(bytes)
      length += bytes.length
      while (length >= maxSize) yield cut()
    }
    while (length > 0) yield cut()
  }
}
