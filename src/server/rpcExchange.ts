import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Reply } from '../rpc/reply.js'
import type { Body } from './body.js'

/** One request on a path of JSON-RPC and the way back to its sender, whatever reads and writes HTTP. */
export interface RpcExchange {
  readonly method: string | undefined
  /** The request's target as it came, with its query. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
  /** What refusals, empty answers and disturbed ones are written to; used instead of `send`. */
  readonly response: ServerResponse
  /** Reads the body as {@link readBody} does. */
  readBody(limit: number, done: (body: Body) => void): void
  /** Answers with a reply as it is. Called at most once. */
  send(reply: Reply): void
  /** Tells once if the other side goes away before it is answered. */
  onAbandoned(listener: () => void): void
}
