import type { Chunk } from '../chunk.js'
import type { Chunker } from './chunker.js'

/** Chunks of one size; the last may be shorter. */
export function fixedSize(size: number): Chunker {
  return async function* (source, newChunk) {
    let chunk: Chunk | undefined
    let isFirst = true
    for await (const bytes of source) {
      for (let start = 0; start < bytes.length;) {
        const rest = start === 0 ? bytes : bytes.subarray(start)
        // Most files are small: the first memory is as large as what came first.
        chunk ??= newChunk(isFirst ? Math.min(size, rest.length) : size)
        if (chunk.isFull) {
          const { content } = chunk
          chunk = newChunk(size)
          chunk.append(content)
        }
        start += chunk.append(rest)
        isFirst = false
        if (!chunk.isFull || chunk.capacity < size) continue
        yield chunk
        chunk = undefined
      }
    }
    if (chunk) yield chunk
  }
}
