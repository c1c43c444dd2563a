import { createHash } from 'node:crypto'

/** Chunk size in bytes. */
const CHUNK = 262_144

/**
 * Lower bound for the cost of an upload: finds the body of one part, cuts it into chunks of 256 KiB and hashes each.
 * Does not link or store anything.
 */
export async function parseAndHash(request, response) {
  const boundary = /boundary=(\S+)/.exec(request.headers['content-type'])?.[1]
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const hashes = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK)
  let filled = 0
  let rest = Buffer.alloc(0)
  let inBody = false

  const take = (data) => {
    for (let start = 0; start < data.length;) {
      const piece = data.subarray(start, start + CHUNK - filled)
      piece.copy(chunk, filled)
      filled += piece.length
      start += piece.length
      if (filled === CHUNK) finish()
    }
  }
  const finish = () => {
    hashes.update(createHash('sha256').update(chunk.subarray(0, filled)).digest())
    filled = 0
  }

  for await (const bytes of request) {
    let data = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    if (!inBody) {
      const head = data.indexOf('\r\n\r\n')
      if (head < 0) {
        rest = data
        continue
      }
      inBody = true
      data = data.subarray(head + 4)
    }
    const end = data.indexOf(delimiter)
    const certain = end >= 0 ? end : Math.max(0, data.length - delimiter.length)
    take(data.subarray(0, certain))
    rest = Buffer.from(data.subarray(certain))
  }
  if (filled > 0) finish()
  response.end(hashes.digest('hex'))
}
