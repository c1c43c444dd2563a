import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Reply } from '../rpc/reply.js'
import type { Body } from './body.js'
import { readBody } from './body.js'
import type { RpcExchange } from './rpcExchange.js'

/** A request that node:http has read and will answer. */
export class NodeExchange implements RpcExchange {
  readonly method: string | undefined
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly response: ServerResponse
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.method = request.method
    this.target = request.url ?? '/'
    this.headers = request.headers
    this.response = response
    this.#request = request
  }

  readBody(limit: number, done: (body: Body) => void): void {
    readBody(this.#request, limit, done)
  }

  /** Writes the pieces of a reply as they are: large ones are not copied. */
  send(reply: Reply): void {
    const { response } = this
    response.writeHead(reply.status, [
      'content-type',
      reply.contentType,
      'content-length',
      String(reply.byteLength),
      'access-control-allow-origin',
      '*',
    ])
    if (reply.byteText !== undefined) {
      // Node writes a short text together with the head, where bytes would be a chunk of their own.
      response.end(reply.byteText, 'latin1')
      return
    }
    response.cork()
    for (const piece of reply.pieces) response.write(piece)
    response.uncork()
    response.end()
  }

  onAbandoned(listener: () => void): void {
    this.response.once('close', () => {
      if (!this.response.writableFinished) listener()
    })
  }
}
