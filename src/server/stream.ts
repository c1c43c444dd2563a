import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { CommandReply } from '../ipfs/index.js'

/**
 * Writes a reply as fast as the client reads it, and its trailers behind it.
 *
 * @throws what the body throws; the reply is then incomplete and the caller ends the connection.
 */
export async function sendStream(response: ServerResponse, reply: CommandReply): Promise<void> {
  response.writeHead(reply.status, reply.headers)
  if (reply.body instanceof Uint8Array) {
    response.end(reply.body)
    return
  }
  for await (const chunk of reply.body) {
    if (response.destroyed) return
    if (!response.write(chunk)) await drained(response)
  }
  const trailers = reply.trailers?.()
  if (trailers !== undefined) response.addTrailers(trailers)
  response.end()
}

/** Resolves when more may be written, also when nobody is there any more to write to. */
async function drained(response: ServerResponse): Promise<void> {
  const settled = new AbortController()
  try {
    await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: settled.signal })))
  } finally {
    settled.abort()
  }
}
