import { type IncomingHttpHeaders, IncomingMessage, STATUS_CODES, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Reply } from '../../rpc/reply.js'
import type { Body } from '../body.js'
import type { RpcExchange } from '../jsonRpc.js'
import type { ReplyQueue, OutgoingAnswer } from './outbox.js'
import type { RequestHead } from './requestHead.js'

/** What an exchange needs of its connection. */
export interface ExchangeSetup {
  socket: Socket
  /** How long the connection may wait for its next request. */
  keepAliveSeconds: number
  outbox: ReplyQueue
  /** Called once, when the answer is written. */
  answered: () => void
}

/** A request that was read from its socket without node:http. */
export class DirectExchange implements RpcExchange, OutgoingAnswer {
  readonly method = 'POST'
  readonly target: string
  readonly headers: IncomingHttpHeaders
  readonly #head: RequestHead
  readonly #body: string
  readonly #setup: ExchangeSetup
  #response: ServerResponse | undefined
  #reply: Reply | undefined
  #abandoned: (() => void) | undefined

  constructor(head: RequestHead, body: string, setup: ExchangeSetup) {
    this.target = head.target
    this.headers = head.headers
    this.#head = head
    this.#body = body
    this.#setup = setup
  }

  /** A response of node:http on the same socket: what is seldom is written by it. */
  get response(): ServerResponse {
    this.#response ??= this.#createResponse()
    return this.#response
  }

  readBody(limit: number, done: (body: Body) => void): void {
    done(this.#head.bodyLength > limit ? { tooLong: true } : { content: this.#body })
  }

  send(reply: Reply): void {
    this.#forgetAbandoned()
    this.#reply = reply
    this.#setup.outbox.send(this)
  }

  get connection(): Socket {
    return this.#setup.socket
  }

  write(): void {
    const { socket, keepAliveSeconds, answered } = this.#setup
    const reply = this.#reply
    if (reply === undefined || !socket.writable) return
    const head = formatReplyHead(reply, keepAliveSeconds)
    if (reply.byteText !== undefined) socket.write(head + reply.byteText, 'latin1')
    else {
      socket.cork()
      socket.write(head, 'latin1')
      for (const piece of reply.pieces) socket.write(piece)
      socket.uncork()
    }
    answered()
  }

  onAbandoned(listener: () => void): void {
    this.#abandoned = listener
    this.#setup.socket.once('close', listener)
  }

  #forgetAbandoned(): void {
    if (this.#abandoned !== undefined) this.#setup.socket.off('close', this.#abandoned)
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
      this.#forgetAbandoned()
      this.#setup.answered()
    })
    return response
  }
}

let second = 0
let date = ''

/** The Date field (RFC 9110, section 6.6.1), which is the same for a second. */
function currentDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    date = new Date(now * 1000).toUTCString()
  }
  return date
}

/**
 * The head of a reply to JSON-RPC: the same fields that node:http writes.
 *
 * @param keepAliveSeconds how long the connection may wait for its next request
 */
export function formatReplyHead(
  { status, contentType, byteLength }: Reply,
  keepAliveSeconds: number,
): string {
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\ncontent-type: ${contentType}\r\n` +
    `content-length: ${byteLength}\r\naccess-control-allow-origin: *\r\nDate: ${currentDate()}\r\n` +
    `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
  )
}
