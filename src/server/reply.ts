import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Refusal } from '../provider/admission/refusal.js'
import type { TransportEffects } from '../provider/faults/faultRegistry.js'

/** Outcome of sending a reply. */
export interface SendOutcome {
  /** Bytes of the body passed to the connection. */
  bytes: number
  /** What the body threw; undefined if the reply was complete or its client disconnected. */
  fault?: unknown
}

/** A reply to an HTTP request, independent of the server that writes it. */
export interface HttpReply {
  status: number
  headers: Readonly<Record<string, string>>
  /** A string is Latin-1, one character per byte; the pieces of a list are written in order. */
  body: string | Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /** Whether pieces share a buffer, so that each is valid only until the next one is requested. */
  reusesBuffer?: boolean | undefined
  /** Returns the trailers once the body has ended. Replies without a connection have none. */
  trailers?: (() => Record<string, string>) | undefined
  /** Faults to apply to the transfer. */
  effects?: TransportEffects | undefined
  /** Called once, when the reply has been sent or aborted. */
  ended?: ((outcome: SendOutcome) => void) | undefined
}

/** Go's reason phrases, and so geth's and Kubo's, where they are older than Node's (net/http, status.go). */
const olderReasons: Readonly<Partial<Record<number, string>>> = {
  413: 'Request Entity Too Large',
  416: 'Requested Range Not Satisfiable',
}

/** Returns the reason phrase of a status line. */
export function reasonOf(status: number): string {
  return olderReasons[status] ?? STATUS_CODES[status] ?? 'unknown'
}

/** Creates a text reply. */
export function textReply({ status, headers, body }: Refusal): HttpReply {
  const bytes = Buffer.from(body).toString('latin1')
  return { status, headers: { ...headers, 'content-length': String(bytes.length) }, body: bytes }
}

/** Creates a reply without a body. */
export function emptyReply(status: number, headers: Readonly<Record<string, string>> = {}): HttpReply {
  return { status, headers: { ...headers, 'content-length': '0' }, body: '' }
}

/** A fault cuts the answer here. */
export class CutError extends Error {
  override readonly name = 'CutError'
}

/** Writes per second of a throttled answer. */
const TICKS_PER_SECOND = 10

/**
 * Applies faults to a body: throttles it or cuts it.
 *
 * @throws CutError where it is cut
 */
async function* applyFaults(
  body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { cutAfter = Infinity, bytesPerSecond }: TransportEffects,
): AsyncGenerator<Uint8Array> {
  let remaining = cutAfter
  const step = bytesPerSecond === undefined ? Infinity : Math.ceil(bytesPerSecond / TICKS_PER_SECOND)
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += step) {
      const part = chunk.subarray(start, Math.min(start + step, start + remaining))
      if (part.length > 0) yield part
      remaining -= part.length
      if (remaining <= 0) throw new CutError('the answer was cut here')
      if (step !== Infinity) await sleep(1000 / TICKS_PER_SECOND)
    }
  }
}

function piecesOf(body: HttpReply['body']): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (typeof body === 'string') return [Buffer.from(body, 'latin1')]
  return body instanceof Uint8Array ? [body] : body
}

/**
 * Writes a body as fast as the client reads it, without copying large ones.
 *
 * @throws what the body throws
 */
export async function writeBody(out: Writable, reply: HttpReply, outcome: SendOutcome): Promise<void> {
  const { effects, reusesBuffer } = reply
  const pieces = piecesOf(reply.body)
  for await (const piece of effects === undefined ? pieces : applyFaults(pieces, effects)) {
    if (out.destroyed) return
    outcome.bytes += piece.length
    if (effects !== undefined || reusesBuffer) await written(out, piece)
    else if (!out.write(piece)) await drained(out)
  }
}

/** Writes bytes and resolves when their buffer may be reused, or the connection is gone. */
function written(out: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('close', done)
      resolve()
    }
    out.once('close', done)
    out.write(bytes, done)
  })
}

/** Resolves when more may be written, or the connection is gone. */
function drained(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off('drain', done)
      out.off('close', done)
      resolve()
    }
    out.once('drain', done)
    out.once('close', done)
  })
}

/** Writes a reply to a node:http response; destroys the connection if the reply is aborted. */
export async function writeReply(response: ServerResponse, reply: HttpReply): Promise<void> {
  const { status, headers, body, effects, ended } = reply
  const outcome: SendOutcome = { bytes: 0 }
  try {
    // To a client that is gone, every write would be an error with a stack.
    if (response.destroyed) return
    if (effects?.close) throw new CutError('the connection is closed here')
    response.writeHead(status, reasonOf(status), headers)
    if (effects === undefined && (typeof body === 'string' || body instanceof Uint8Array)) {
      outcome.bytes = body.length
      response.end(body, 'latin1')
      return
    }
    if (effects !== undefined) response.flushHeaders()
    await writeBody(response, reply, outcome)
    const trailers = reply.trailers?.()
    if (trailers !== undefined) response.addTrailers(trailers)
    response.end()
  } catch (fault) {
    if (!response.destroyed) outcome.fault = fault
    response.destroy()
  } finally {
    ended?.(outcome)
  }
}

/** Converts a reply to a Fetch Response. If a fault closes the connection without an answer, it is a network error. */
export function toResponse(reply: HttpReply): Response {
  const { status, headers, body, effects, ended } = reply
  if (effects?.close) {
    ended?.({ bytes: 0, fault: new CutError('the connection is closed here') })
    return Response.error()
  }
  const isBodiless = status === 204 || status === 304
  if (effects === undefined && (typeof body === 'string' || body instanceof Uint8Array)) {
    ended?.({ bytes: body.length })
    return new Response(isBodiless ? null : Buffer.from(body as string, 'latin1'), { status, headers })
  }
  const stream = ReadableStream.from(copiedPieces(reply))
  return new Response(isBodiless ? null : (stream as ReadableStream<Uint8Array<ArrayBuffer>>), {
    status,
    headers,
  })
}

async function* copiedPieces({ body, effects, reusesBuffer, ended }: HttpReply): AsyncGenerator<Uint8Array> {
  const outcome: SendOutcome = { bytes: 0 }
  const pieces = piecesOf(body)
  try {
    for await (const piece of effects === undefined ? pieces : applyFaults(pieces, effects)) {
      outcome.bytes += piece.length
      yield reusesBuffer ? piece.slice() : piece
    }
  } catch (fault) {
    outcome.fault = fault
    throw fault
  } finally {
    ended?.(outcome)
  }
}
