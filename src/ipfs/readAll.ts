import { FileNetworkError } from './errors.js'

/** All bytes of a stream as one array; refuses a stream that is longer than the limit. */
export async function readAll(source: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    length += bytes.length
    if (length > limit) throw new FileNetworkError(`input is larger than ${limit} bytes`)
    pieces.push(bytes)
  }
  return Uint8Array.from(Buffer.concat(pieces))
}
