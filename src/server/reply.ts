import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CommandReply } from '../ipfs/index.js'
import type { Refusal } from '../provider/admission/refusal.js'
import type { Caller } from '../provider/caller.js'
import type { TransportEffects } from '../provider/faults/faultRegistry.js'
import type { Reply } from '../rpc/reply.js'
import { openToPages } from './access.js'

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
  for await (const chunk of effects === undefined ? body : applyFaults(body, effects)) {
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

/** Answers with a text. */
export function sendText(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(refusal.status, {
    ...refusal.headers,
    'content-length': Buffer.byteLength(refusal.body),
  })
  response.end(refusal.body)
}

/** Answers with a status and nothing else. */
export function sendEmpty(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...headers, 'content-length': 0 })
  response.end()
}

/** A fault ends the answer here. */
export class CutError extends Error {
  override readonly name = 'CutError'
}

/** Parts of a second in which a slowed answer is sent. */
const ticksPerSecond = 10

/**
 * A body as faults let it through: slowed down, or cut.
 *
 * @throws CutError where it is cut.
 */
export async function* applyFaults(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  effects: TransportEffects,
): AsyncGenerator<Uint8Array> {
  let left = effects.cutAfter ?? Infinity
  const step =
    effects.bytesPerSecond === undefined ? Infinity : Math.ceil(effects.bytesPerSecond / ticksPerSecond)
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += step) {
      const part = chunk.subarray(start, Math.min(start + step, start + left))
      if (part.length > 0) yield part
      left -= part.length
      if (left <= 0) throw new CutError('the answer is cut here')
      if (step !== Infinity) await sleep(1000 / ticksPerSecond)
    }
  }
}

/** Who answered, where an outage may make a difference. */
const answeredByHeader = 'x-standin-answered-by'

/** Writes a reply with what faults do to it, and the header that tells who answered. */
export function sendWithFaults(response: ServerResponse, reply: Reply | undefined, caller: Caller): void {
  const { effects = {}, failover, answeredBy = 'primary' } = caller
  if (effects.close) {
    response.destroy()
    return
  }
  response.writeHead(reply?.status ?? 200, {
    ...(reply && { 'content-type': reply.contentType }),
    'content-length': reply?.byteLength ?? 0,
    ...openToPages,
    ...(failover && { [answeredByHeader]: answeredBy }),
  })
  response.flushHeaders()
  writeWithFaults(response, reply?.pieces ?? [], effects).catch(() => response.destroy())
}

async function writeWithFaults(
  response: ServerResponse,
  pieces: readonly Uint8Array[],
  effects: TransportEffects,
): Promise<void> {
  for await (const part of applyFaults(pieces, effects)) {
    await written(response, part)
  }
  response.end()
}
