import type { IncomingHttpHeaders, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  type Awaitable,
  ShortWorkQueue,
  TimeSlice,
  atEndOfTurn,
  orElse,
  whenReady,
} from '../encoding/timeSlice.js'
import { refuse } from '../provider/admission/refusal.js'
import { type HttpReply, reasonOf, textReply, writeBody } from './reply.js'
import { DirectRequest, type RequestHead, type RpcRoute } from './request.js'

const serverFault = refuse(500, 'internal server error\n')

const headEnd = '\r\n\r\n'
/** Maximum unsent answer bytes before the next request is taken. */
const MAX_UNSENT_BYTES = 1024 * 1024
/**
 * A client's heads differ only in Content-Length, and so only by kind of request, such as sending or polling a receipt.
 */
const MAX_KNOWN_HEADS = 4

/** Dependencies of direct connections. */
interface DirectSetup {
  /** Returns the route of a request to answer here; undefined if node:http must. */
  routeOf: (head: RequestHead) => RpcRoute | undefined
  answer: (request: DirectRequest, route: RpcRoute) => Awaitable<HttpReply>
  /** Passes the connection to node:http for good, with its unanswered bytes back in the socket. */
  handOff: (socket: Socket) => void
  /** How long a connection may wait for its next request. */
  keepAliveSeconds: number
  queue: ReplyQueue
  /** Receives internal faults. */
  report: (fault: unknown) => void
}

/** A parsed head with its bytes, cached because a client sends the same few again and again. */
interface KnownHead {
  bytes: Buffer
  head: RequestHead
  route: RpcRoute
}

/**
 * A connection whose requests are parsed here as long as they are plain POSTs on JSON-RPC paths, one after another. Any
 * other request passes it to node:http, which supports all of HTTP and costs several times as much.
 */
class DirectConnection {
  readonly #socket: Socket
  readonly #setup: DirectSetup
  readonly #release: () => void
  readonly #stopReceiving: () => void
  /** Received bytes not taken yet. */
  #unread: Buffer | undefined
  /** Oldest first. */
  readonly #known: KnownHead[] = []
  #isAnswering = false
  /** Whether a caller further up the stack is taking requests. */
  #isTakingRequests = false
  #reply: HttpReply | undefined
  #isHandedOff = false

  /** @param released - called once, when the socket is closed or passed to node:http */
  constructor(socket: Socket, setup: DirectSetup, released: () => void) {
    this.#socket = socket
    this.#setup = setup
    this.#release = released
    socket.setTimeout(setup.keepAliveSeconds * 1000)
    this.#stopReceiving = receive(socket, (part) => this.#onData(part))
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', ignore)
    socket.on('close', released)
  }

  /** Closes the connection unless a request is in progress or an answer unsent. */
  closeIfIdle(): void {
    if (!this.#isAnswering && this.#socket.writableLength === 0) this.#socket.destroy()
  }

  /** Closes the connection. */
  close(): void {
    this.#socket.destroy()
  }

  /** Input received during an answer waits here, and further input in the kernel. */
  #onData(part: Buffer): void {
    this.#unread = this.#unread === undefined ? part : Buffer.concat([this.#unread, part])
    if (!this.#isAnswering) this.#takeRequests()
    else this.#socket.pause()
    // Copied, because the next read of any connection overwrites the part.
    if (this.#unread?.buffer === part.buffer) this.#unread = Buffer.from(this.#unread)
  }

  /**
   * Like node:http, treats the end of input as the end of the connection, except for an answer that is already there.
   */
  readonly #onEnd = (): void => {
    if (this.#isAnswering) this.#setup.queue.writeWaiting()
    this.#socket.end()
  }

  readonly #onTimeout = (): void => {
    if (!this.#isAnswering) this.#socket.destroy()
  }

  /** Waits for a slow reader before taking its next request; otherwise answers would pile up. */
  readonly #answered = (): void => {
    if (this.#socket.writableLength > MAX_UNSENT_BYTES) {
      this.#socket.once('drain', this.#answered)
      return
    }
    this.#isAnswering = false
    if (this.#isTakingRequests) return
    this.#takeRequests()
    if (!this.#isAnswering && !this.#isHandedOff) this.#socket.resume()
  }

  /** A loop, because a synchronous answer would recurse. One part may hold more than a thousand requests. */
  #takeRequests(): void {
    this.#isTakingRequests = true
    let slice: TimeSlice | undefined
    while (this.#unread !== undefined && !this.#isAnswering) {
      const pause = slice?.pause()
      slice ??= new TimeSlice()
      if (pause !== undefined) {
        this.#isAnswering = true
        void pause.then(this.#answered)
      } else if (!this.#takeRequest(this.#unread)) break
    }
    this.#isTakingRequests = false
  }

  /** Takes the next request, or hands over one that is not for us. @returns false if it is incomplete */
  #takeRequest(unread: Buffer): boolean {
    const known = this.#readHead(unread)
    if (known === undefined) {
      this.#handOff(unread)
      return false
    }
    const start = known.bytes.length
    const end = start + known.head.bodyLength
    if (unread.length < end) return false
    this.#unread = unread.length === end ? undefined : unread.subarray(end)
    this.#isAnswering = true
    const { queue, answer, report } = this.#setup
    queue.writeOverdue()
    const request = new DirectRequest(known.head, unread.toString('utf8', start, end), this.#socket)
    const reply = orElse(
      () => answer(request, known.route),
      (fault) => {
        report(fault)
        return textReply(serverFault)
      },
    )
    void whenReady(reply, (ready) => {
      request.settle()
      this.#send(ready)
    })
    return true
  }

  #send(reply: HttpReply): void {
    const { body, effects } = reply
    if (effects === undefined && typeof body === 'string') {
      this.#reply = reply
      this.#setup.queue.send(this)
    } else if (effects?.close) {
      this.#socket.destroy()
      reply.ended?.({ bytes: 0 })
    } else void this.#sendInPieces(reply)
  }

  /** Writes the pending short reply. */
  write(): void {
    const { body } = this.#reply ?? {}
    if (this.#reply === undefined || typeof body !== 'string' || !this.#socket.writable) return
    this.#socket.write(formatReplyHead(this.#reply, this.#setup.keepAliveSeconds) + body, 'latin1')
    this.#answered()
  }

  async #sendInPieces(reply: HttpReply): Promise<void> {
    const socket = this.#socket
    socket.cork()
    socket.write(formatReplyHead(reply, this.#setup.keepAliveSeconds), 'latin1')
    process.nextTick(() => socket.uncork())
    const outcome = { bytes: 0 }
    try {
      await writeBody(socket, reply, outcome)
      this.#answered()
    } catch {
      socket.destroy()
    } finally {
      reply.ended?.(outcome)
    }
  }

  #readHead(unread: Buffer): KnownHead | undefined {
    const known = this.#known.find(
      ({ bytes: { length }, bytes }) => unread.length >= length && bytes.compare(unread, 0, length) === 0,
    )
    if (known !== undefined) return known
    const end = unread.indexOf(headEnd, 0, 'latin1')
    const head = end < 0 ? undefined : readRequestHead(unread.toString('latin1', 0, end))
    const route = head === undefined ? undefined : this.#setup.routeOf(head)
    if (head === undefined || route === undefined) return undefined
    if (this.#known.length === MAX_KNOWN_HEADS) this.#known.shift()
    const read = { bytes: Buffer.from(unread.subarray(0, end + headEnd.length)), head, route }
    this.#known.push(read)
    return read
  }

  #handOff(unread: Buffer): void {
    const socket = this.#socket
    this.#isHandedOff = true
    this.#unread = undefined
    this.#stopReceiving()
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.setTimeout(0)
    socket.pause()
    socket.unshift(Buffer.from(unread))
    handOffs.add(() => {
      socket.off('error', ignore)
      socket.off('close', this.#release)
      this.#release()
      if (socket.destroyed) return
      this.#setup.handOff(socket)
      socket.resume()
    })
  }
}

/** Connections on their way to node:http: hundreds may come at once, and each takes a tenth of a millisecond. */
const handOffs = new ShortWorkQueue()

/** Listens to errors: `close` follows. */
const ignore = (): void => undefined

/**
 * Sits in front of a node:http server and answers the plain requests on its connections. Everything else reaches the
 * server as if it had received it first.
 */
export class DirectFront {
  readonly #connections = new Set<DirectConnection>()
  /** Passes a connection to node:http. */
  readonly handOff: DirectSetup['handOff']

  constructor(server: Server, setup: Omit<DirectSetup, 'handOff' | 'queue'>) {
    const listeners = server.listeners('connection')
    server.removeAllListeners('connection')
    this.handOff = (socket) => listeners.forEach((listener) => void listener.call(server, socket))
    const forConnections = { ...setup, handOff: this.handOff, queue: new ReplyQueue() }
    server.on('connection', (socket: Socket) => {
      const connection = new DirectConnection(socket, forConnections, () =>
        this.#connections.delete(connection),
      )
      this.#connections.add(connection)
    })
  }

  closeIdleConnections(): void {
    for (const connection of this.#connections) connection.closeIfIdle()
  }

  closeAllConnections(): void {
    for (const connection of this.#connections) connection.close()
  }
}

/** Maximum bytes per read of a socket, as suggested by libuv. */
const READ_BUFFER_LENGTH = 65_536

/** Read buffer shared by all sockets. Callers must be done with a part before the next read. */
const readBuffer = Buffer.allocUnsafeSlow(READ_BUFFER_LENGTH)

/**
 * What `onread` sets on a connecting socket (`lib/net.js`). Accepted sockets have the same members, but no option to
 * set them.
 */
interface OnReadMembers {
  buffer: symbol
  callback: symbol
}

/**
 * Passes received data of a newly accepted socket to `take`, in a buffer that the next read of any socket overwrites.
 * `data` listeners would cost 64 KiB of new memory per read, plus the stream machinery.
 *
 * If Node's internal members differ from those known here, parts come from `data` events. So they do on Windows, where
 * sockets hold the memory of their next read while waiting for it.
 *
 * @returns a function that ends it: from then on the socket is an ordinary stream
 */
export function receive(socket: Duplex, take: (part: Buffer) => void): () => void {
  const members = membersOf(socket)
  if (members === undefined || process.platform === 'win32') {
    socket.on('data', take)
    return () => socket.off('data', take)
  }
  let isStream = false
  const accepted = socket as AcceptedSocket
  accepted[members.buffer] = readBuffer
  accepted[members.callback] = (length: number): boolean => {
    const part = readBuffer.subarray(0, length)
    if (isStream) return socket.push(Buffer.from(part))
    take(part)
    return true
  }
  accepted._handle?.useUserBuffer?.(readBuffer)
  return () => {
    isStream = true
  }
}

interface AcceptedSocket extends Duplex {
  _handle?: { useUserBuffer?: (buffer: Buffer) => void }
  [member: symbol]: unknown
}

function membersOf(socket: Duplex): OnReadMembers | undefined {
  if ((socket as AcceptedSocket)._handle?.useUserBuffer === undefined) return undefined
  const symbols = Object.getOwnPropertySymbols(socket)
  const [buffer, callback] = ['kBuffer', 'kBufferCb'].map((name) =>
    symbols.find(({ description }) => description === name),
  )
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback }
}

/** Longest head parsed here. Connections with longer ones are passed on in turns, however many arrive at once. */
const MAX_HEAD_LENGTH = 4096
/** Longest body handled here; for longer ones, parsing HTTP is not what costs. */
const MAX_BODY_LENGTH = 65_536

/** Targets and hosts that URL parsing, as the app does it, would not normalise. */
const requestLine = /^POST (\/[!#$&-;=?-[\]_a-z~]*) HTTP\/1\.1$/
const dotSegment = /\/\.\.?(?:[/?#]|$)/
const plainHost = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/
/** A field of RFC 9110, section 5, without obsolete bytes. */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e\t]*)$/
const decimal = /^\d{1,7}$/

/** Fields that change how the message or connection continues; requests with any of them are left to node:http. */
const unusualFields = ['transfer-encoding', 'expect', 'trailer', 'te', 'keep-alive', 'proxy-connection']

/**
 * Parses the head of the plainest possible request: an HTTP/1.1 POST with one Host, a Content-Length and no repeated
 * fields, on a persistent connection.
 *
 * @param text - the head in Latin-1, up to but without the empty line
 * @returns undefined for anything else, valid or not, which is left to node:http
 */
export function readRequestHead(text: string): RequestHead | undefined {
  if (text.length > MAX_HEAD_LENGTH) return undefined
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
  const isUnusual = unusualFields.some((name) => headers[name] !== undefined)
  if (isUnusual || host === undefined || !plainHost.test(host) || !isPersistent(headers)) return undefined
  if (!decimal.test(length) || Number(length) > MAX_BODY_LENGTH) return undefined
  return { target, headers, bodyLength: Number(length) }
}

/**
 * Whether only further requests can follow on the connection. An offer to upgrade to HTTP/2, as Java's client makes
 * with each request, may be ignored (RFC 9110, section 7.8); node:http would take it as the end of HTTP on this
 * connection.
 */
function isPersistent({ connection = 'keep-alive', upgrade }: IncomingHttpHeaders): boolean {
  const options = connection.toLowerCase()
  return upgrade === undefined
    ? options === 'keep-alive'
    : upgrade === 'h2c' && options === 'upgrade, http2-settings'
}

/** Maximum delay of answers, in milliseconds, for the sake of those to requests not yet taken. */
const MAX_WAIT_MILLISECONDS = 1

/**
 * Sends answers to clients that asked at the same time together, once all their requests are taken.
 *
 * A write that wakes a client costs the system, and thus the node, several times as much as the next write to an awake
 * client. Answers to a client that sends one request after another leave at once, as it has nothing to gain.
 */
export class ReplyQueue {
  readonly #waiting: Pick<DirectConnection, 'write'>[] = []
  /** When the first pending answer was queued, by performance.now(). */
  #since = 0
  #last: Pick<DirectConnection, 'write'> | undefined
  /** Writes all pending answers, as happens at the end of the turn. */
  readonly writeWaiting = (): void => {
    for (const connection of this.#waiting.splice(0)) connection.write()
  }

  /** Lets a connection write its answer at the end of this event-loop turn, or at once. */
  send(connection: Pick<DirectConnection, 'write'>): void {
    if (connection === this.#last) {
      connection.write()
      return
    }
    this.#last = connection
    if (this.#waiting.push(connection) > 1) return
    this.#since = performance.now()
    atEndOfTurn(this.writeWaiting)
  }

  /** Writes overdue answers. Call this before taking a request, which may take long. */
  writeOverdue(): void {
    if (this.#waiting.length > 0 && performance.now() - this.#since > MAX_WAIT_MILLISECONDS)
      this.writeWaiting()
  }
}

let second = 0
let date = ''

/** Returns the Date field (RFC 9110, section 6.6.1), cached for a second. */
function currentDate(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) date = new Date(now * 1000).toUTCString()
  second = now
  return date
}

/**
 * Formats the head of a reply with the same fields as node:http.
 *
 * @param keepAliveSeconds - how long the connection may wait for its next request
 */
export function formatReplyHead({ status, headers }: HttpReply, keepAliveSeconds: number): string {
  let head = `HTTP/1.1 ${status} ${status === 200 ? 'OK' : reasonOf(status)}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return (
    `${head}Date: ${currentDate()}\r\n` +
    `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n\r\n`
  )
}
