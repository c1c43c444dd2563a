import { type IncomingHttpHeaders, STATUS_CODES, maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import { atEndOfTurn } from '../../encoding/timeSlice.js'
import type { HttpReply } from '../reply.js'
import type { Body, HttpRequest } from '../request.js'

/** The head of a request that is read here and not by node:http. */
export interface RequestHead {
  /** As it came, with its query. */
  target: string
  headers: IncomingHttpHeaders
  /** What Content-Length says. */
  bodyLength: number
}

/** Longest body that is read here; the cost of longer ones is not in how HTTP is read. */
const maxBodyLength = 65_536

/** Targets and hosts that mean the same in a URL, which is what the app reads: nothing in them is normalized. */
const requestLine = /^POST (\/[!#$&-;=?-[\]_a-z~]*) HTTP\/1\.1$/
const dotSegment = /\/\.\.?(?:[/?#]|$)/
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/
/** A field of RFC 9110, section 5, without obsolete bytes. */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*)$/
const decimal = /^\d{1,7}$/

/** Fields that change how a message or its connection goes on; any of them is left to node:http. */
const unusualFields = ['transfer-encoding', 'expect', 'trailer', 'te', 'keep-alive', 'proxy-connection']

/**
 * Reads the head of the plainest request there is: a POST of HTTP/1.1 with one Host, a Content-Length, every field once,
 * on a connection that goes on.
 *
 * @param text the head in Latin-1, up to the empty line but without it
 * @returns undefined for anything else, be it valid or not: node:http says what that is
 */
export function readRequestHead(text: string): RequestHead | undefined {
  if (text.length > maxHeaderSize) return undefined
  const [first = '', ...lines] = text.split('\r\n')
  const target = requestLine.exec(first)?.[1]
  if (target === undefined || dotSegment.test(target)) return undefined
  const headers: IncomingHttpHeaders = {}
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    const key = name.toLowerCase()
    if (Object.hasOwn(headers, key) || key === '__proto__') return undefined
    headers[key] = value.trimEnd()
  }
  const { host, 'content-length': length = '' } = headers
  if (host === undefined || !plainHost.test(host) || !goesOn(headers) || !decimal.test(length))
    return undefined
  if (unusualFields.some((name) => headers[name] !== undefined) || Number(length) > maxBodyLength)
    return undefined
  return { target, headers, bodyLength: Number(length) }
}

/**
 * Whether nothing but another request follows on the connection. An offer to go on with HTTP/2, as Java's client makes it
 * with each request, is for the server to take or to leave (RFC 9110, section 7.8); node:http would take it for the end of
 * HTTP on this connection.
 */
function goesOn({ connection = 'keep-alive', upgrade }: IncomingHttpHeaders): boolean {
  const options = connection.toLowerCase()
  return upgrade === undefined
    ? options === 'keep-alive'
    : upgrade === 'h2c' && options === 'upgrade, http2-settings'
}

/** A request that was read from its socket without node:http. */
export class DirectRequest implements HttpRequest {
  readonly method = 'POST'
  readonly #head: RequestHead
  readonly #body: string
  readonly #socket: Socket
  #controller: AbortController | undefined

  constructor(head: RequestHead, body: string, socket: Socket) {
    this.#head = head
    this.#body = body
    this.#socket = socket
  }

  get target(): string {
    return this.#head.target
  }

  get headers(): IncomingHttpHeaders {
    return this.#head.headers
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.#socket.once('close', this.#abort)
    }
    return this.#controller.signal
  }

  async readBody(limit: number): Promise<Body> {
    return this.#head.bodyLength > limit ? { tooLong: true } : { content: this.#body }
  }

  /** To be called when the request is answered: its signal is not aborted any more. */
  settle(): void {
    if (this.#controller !== undefined) this.#socket.off('close', this.#abort)
  }

  readonly #abort = (): void => this.#controller?.abort()
}

/** Milliseconds after which answers wait no longer for those to requests that were not taken yet. */
const longestWait = 1

/** A connection with an answer to write. */
export interface WaitingConnection {
  write(): void
}

/**
 * Sends the answers to different clients that asked at the same time together, when all of their requests are taken.
 *
 * A write that wakes a client costs the system, and with it the node, several times as much as the next one to a client
 * that is awake. Answers to a client that asks one thing after another leave at once: it has nothing to gain.
 */
export class ReplyQueue {
  #waiting: WaitingConnection[] = []
  /** When the first of those that wait came, by performance.now(). */
  #since = 0
  #last: WaitingConnection | undefined
  /** Writes what waits, as the end of the turn does. */
  readonly writeWaiting = (): void => {
    const connections = this.#waiting
    this.#waiting = []
    for (const connection of connections) connection.write()
  }

  /** Lets a connection write its answer at the end of this turn of the event loop, or at once. */
  send(connection: WaitingConnection): void {
    if (connection === this.#last) {
      connection.write()
      return
    }
    this.#last = connection
    if (this.#waiting.push(connection) > 1) return
    this.#since = performance.now()
    atEndOfTurn(this.writeWaiting)
  }

  /** To be called before a request is taken, since nobody knows how long it takes. */
  writeOverdue(): void {
    if (this.#waiting.length > 0 && performance.now() - this.#since > longestWait) this.writeWaiting()
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
 * The head of a reply, with the same fields that node:http writes.
 *
 * @param keepAliveSeconds how long the connection may wait for its next request
 */
export function formatReplyHead({ status, headers }: HttpReply, keepAliveSeconds: number): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return (
    `${head}Date: ${currentDate()}\r\n` +
    `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
  )
}
