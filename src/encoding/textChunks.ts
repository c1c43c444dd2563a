import { TimeSlice } from './timeSlice.js'

/** Characters per chunk. */
const CHUNK = 64 * 1024

/**
 * Joins short texts into chunks, yielding to other work in between.
 *
 * @throws the signal's reason when it is aborted
 */
export async function* textChunks(pieces: Iterable<string>, signal?: AbortSignal): AsyncGenerator<string> {
  const slice = new TimeSlice()
  let chunk = ''
  for (const piece of pieces) {
    chunk += piece
    if (chunk.length >= CHUNK) {
      yield chunk
      signal?.throwIfAborted()
      chunk = ''
    }
    const pause = slice.pause()
    if (pause === undefined) continue
    await pause
    signal?.throwIfAborted()
  }
  yield chunk
}
