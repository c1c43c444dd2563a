import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import type { StreamingApi } from 'hono/utils/stream'
import { textChunks } from '../encoding/textChunks.js'

/** Sends pieces of JSON text, and yields to other requests in between. */
export function sendJson(context: Context, pieces: Iterable<string>): Response {
  context.header('content-type', 'application/json')
  return stream(context, (out) => writePieces(out, pieces))
}

/** Writes text, and yields to other requests in between. */
export async function writePieces(out: StreamingApi, pieces: Iterable<string>): Promise<void> {
  for await (const chunk of textChunks(pieces)) {
    if (out.aborted) return
    await out.write(chunk)
  }
}

/** Yields an array as JSON, item by item. */
export function* listPieces(items: Iterable<unknown>): Generator<string> {
  let separator = '['
  for (const item of items) {
    yield separator + JSON.stringify(item)
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}

/** Yields an object as JSON, with its arrays item by item. */
export function* objectPieces(value: object): Generator<string> {
  let separator = '{'
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    yield `${separator}${JSON.stringify(name)}:`
    if (Array.isArray(member)) yield* listPieces(member)
    else yield JSON.stringify(member)
    separator = ','
  }
  yield separator === '{' ? '{}' : '}'
}
