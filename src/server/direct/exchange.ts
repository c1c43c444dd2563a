import type { IncomingHttpHeaders } from 'node:http'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../../rpc/reply.js'
import type { Body } from '../body.js'
import type { RpcExchange } from '../rpcExchange.js'
import { formatReplyHead } from './replyHead.js'
import type { RequestHead } from './requestHead.js'

/** Bytes up to which a reply and its head are one text to write. */
const shortReply = 4096

/** What an exchange needs of its connection. */
export interface ExchangeSetup {
  socket: Socket
  /** How long the connection may wait for its next request. */
  keepAliveSeconds: number
  /** Called once, when the answer is written. */
  answered: () => void
}

/** A request that was read from its socket without node:http. */
export class DirectExchange implements RpcExchange {
  readonly method = 'POST'
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly #body: Buffer
  readonly #setup: ExchangeSetup
  #response: ServerResponse | undefined
  #abandoned: (() => void) | undefined

  constructor(head: RequestHead, body: Buffer, setup: ExchangeSetup) {
    this.target = head.target
    this.headers = head.headers
    this.#body = body
    this.#setup = setup
  }

  /** A response of node:http on the same socket: what is seldom is written by it. */
  get response(): ServerResponse {
    this.#response ??= this.#createResponse()
    return this.#response
  }

  readBody(limit: number, done: (body: Body) => void): void {
    done(this.#body.length > limit ? { tooLong: true } : { bytes: this.#body })
  }

  send(reply: Reply): void {
    const { socket, keepAliveSeconds } = this.#setup
    const head = formatReplyHead(reply, keepAliveSeconds)
    const [first] = reply.pieces
    if (!socket.writable) return
    if (first !== undefined && reply.pieces.length === 1 && first.length <= shortReply) {
      const text = Buffer.from(first.buffer, first.byteOffset, first.length).toString('latin1')
      socket.write(head + text, 'latin1')
    } else {
      socket.cork()
      socket.write(head, 'latin1')
      for (const piece of reply.pieces) socket.write(piece)
      socket.uncork()
    }
    this.#finish()
  }

  onAbandoned(listener: () => void): void {
    this.#abandoned = listener
    this.#setup.socket.once('close', listener)
  }

  #finish(): void {
    if (this.#abandoned !== undefined) this.#setup.socket.off('close', this.#abandoned)
    this.#setup.answered()
  }

  #createResponse(): ServerResponse {
    const { socket } = this.#setup
    const request = new IncomingMessage(socket)
    request.method = this.method
    request.httpVersionMajor = 1
    request.httpVersionMinor = 1
    const response = new ServerResponse(request)
    response.assignSocket(socket)
    response.once('finish', () => {
      response.detachSocket(socket)
      this.#finish()
    })
    return response
  }
}
