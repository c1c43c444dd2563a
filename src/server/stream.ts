import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { CommandReply } from '../ipfs/index.js'
import type { TransportEffects } from '../provider/faults/effects.js'
import { CutError, disturb } from './disturb.js'

/** What goes on beside the writing of a reply. */
export interface StreamOptions {
  /** What faults do to it. */
  effects: TransportEffects | undefined
  /** Counts the bytes of the body as they are written. */
  counter: { bytes: number }
}

/**
 * Writes a reply as fast as the client reads it, and its trailers behind it.
 *
 * @throws what the body throws; the reply is then incomplete and the caller ends the connection.
 */
export async function sendStream(
  response: ServerResponse,
  reply: CommandReply,
  { effects, counter }: StreamOptions,
): Promise<void> {
  if (effects?.close) throw new CutError('the connection is closed here')
  response.writeHead(reply.status, reply.headers)
  if (reply.body instanceof Uint8Array && effects === undefined) {
    counter.bytes = reply.body.length
    response.end(reply.body)
    return
  }
  const body = reply.body instanceof Uint8Array ? [reply.body] : reply.body
  for await (const chunk of effects === undefined ? body : disturb(body, effects)) {
    if (response.destroyed) return
    counter.bytes += chunk.length
    if (effects !== undefined || reply.isBorrowed) await written(response, chunk)
    else if (!response.write(chunk)) await drained(response)
  }
  const trailers = reply.trailers?.()
  if (trailers !== undefined) response.addTrailers(trailers)
  response.end()
}

/**
 * Writes bytes and resolves when they are on their way, and their memory is free again, or when nobody is there any
 * more to write to.
 */
export function written(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    response.write(bytes, done)
  })
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
