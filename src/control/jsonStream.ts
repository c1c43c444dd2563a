import type { Context } from 'hono'
import { textChunks } from '../encoding/textChunks.js'

const readerGone = new Error('the reader has gone')

/**
 * Sends text as fast as it is read.
 *
 * @param source - yields the text until its signal is aborted because the reader has gone
 */
export function sendText(
  context: Context,
  source: (signal: AbortSignal) => AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder()
  const connection = new AbortController()
  const chunks = source(connection.signal)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (connection.signal.aborted) return
      if (done === true) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      connection.abort(readerGone)
      await chunks.return(undefined)
    },
  })
  return context.body(body)
}

/** Sends pieces of JSON text, and yields to other requests in between. */
export function sendJson(context: Context, pieces: Iterable<string>): Response {
  context.header('content-type', 'application/json')
  return sendText(context, (signal) => textChunks(pieces, signal))
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
