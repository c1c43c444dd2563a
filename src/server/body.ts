import type { IncomingMessage } from 'node:http'

/** A request's body, or what stopped it from being read. */
export type Body = { content: Buffer | string } | { tooLong: true }

/**
 * Reads a whole body of at most `limit` bytes.
 *
 * `done` is called once, at the end or as soon as the limit is passed; never if the client goes away first. A
 * callback rather than a promise: this stands on the path of every JSON-RPC request.
 */
export function readBody(request: IncomingMessage, limit: number, done: (body: Body) => void): void {
  let first: Buffer | undefined
  let others: Buffer[] | undefined
  let length = 0
  const onData = (chunk: Buffer): void => {
    length += chunk.length
    if (length > limit) {
      request.off('data', onData)
      request.off('end', onEnd)
      request.resume()
      done({ tooLong: true })
    } else if (first === undefined) first = chunk
    else (others ??= [first]).push(chunk)
  }
  const onEnd = (): void => {
    if (others !== undefined) done({ content: Buffer.concat(others, length) })
    else done({ content: first ?? Buffer.alloc(0) })
  }
  request.on('data', onData)
  request.on('end', onEnd)
}
