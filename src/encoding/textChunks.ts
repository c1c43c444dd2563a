import { TimeSlice } from './timeSlice.js'

/** Characters that are handed over together. */
const CHUNK = 64 * 1024

/** Joins small texts into chunks, with turns for other work between them. */
export async function* textChunks(pieces: Iterable<string>): AsyncGenerator<string> {
  const slice = new TimeSlice()
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length >= CHUNK) {
      yield chunk
      chunk = ''
    }
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  yield chunk
}
