import { joinBytes } from '../encoding/joinBytes.js'
import { FileNetworkError } from './errors.js'

/**
 * All bytes of a stream as one array; a stream that is longer than the limit is refused as `refusal` says. It is read to
 * its end all the same, and forgotten: a client that is still sending may not be listening yet.
 */
export async function readAll(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  refusal = (): Error => new FileNetworkError(`input is larger than ${limit} bytes`),
): Promise<Uint8Array> {
  let pieces: Uint8Array[] = []
  let length = 0
  for await (const bytes of source) {
    length += bytes.length
    if (length <= limit) pieces.push(bytes)
    else pieces = []
  }
  if (length > limit) throw refusal()
  return joinBytes(pieces)
}
