import { type IncomingHttpHeaders, STATUS_CODES, type Server, maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Awaitable, atEndOfTurn, orElse, whenReady } from '../encoding/timeSlice.js'
import { refuse } from '../provider/admission/refusal.js'
import { type HttpReply, textReply, writeBody } from './reply.js'
import { DirectRequest, type RequestHead, type RpcRoute } from './request.js'

const serverFault = refuse(500, 'internal server error\n')

const headEnd = '\r\n\r\n'
/** Bytes of answers that may wait for a slow reader before the next request is taken. */
const maxWaiting = 1024 * 1024
/** A client's heads differ in Content-Length alone, and so by the kind of request: sending, asking for a receipt. */
const maxKnownHeads = 4

/** What requests of a connection are answered by. */
interface DirectSetup {
  /** The route of a request that is answered here; undefined for one that is node:http's. */
  routeOf: (head: RequestHead) => RpcRoute | undefined
  answer: (request: DirectRequest, route: RpcRoute) => Awaitable<HttpReply>
  /** Gives the connection to node:http for good; the bytes that it has not answered lie in the socket again. */
  handOver: (socket: Socket) => void
  /** How long a connection may wait for its next request. */
  keepAliveSeconds: number
  queue: ReplyQueue
  /** Told of faults of ours. */
  report: (fault: unknown) => void
}

/** A head that was read, and the bytes that it was read from: a client sends the same few again and again. */
interface KnownHead {
  bytes: Buffer
  head: RequestHead
  route: RpcRoute
}

/**
 * A connection whose requests are read here as long as they are plain POSTs on paths of JSON-RPC, one after another.
 * With the first one that is anything else it becomes node:http's, which has to know all of HTTP and costs several
 * times as much.
 */
class DirectConnection {
  readonly #socket: Socket
  readonly #setup: DirectSetup
  readonly #release: () => void
  readonly #stopReceiving: () => void
  /** What has come and is not taken yet. */
  #unread: Buffer | undefined
  /** The one that was read last is the last. */
  readonly #known: KnownHead[] = []
  #isAnswering = false
  /** Whether requests are being taken, further up on the stack. */
  #isTaking = false
  #reply: HttpReply | undefined
  #isHandedOver = false

  /** @param released - told once, when the socket is closed or node:http's */
  constructor(socket: Socket, setup: DirectSetup, released: () => void) {
    this.#socket = socket
    this.#setup = setup
    this.#release = released
    socket.setTimeout(setup.keepAliveSeconds * 1000)
    this.#stopReceiving = receive(socket, (part) => this.#take(part))
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', ignore)
    socket.on('close', released)
  }

  /** Ends the connection unless a request is being answered, or an answer still on its way. */
  closeIfIdle(): void {
    if (!this.#isAnswering && this.#socket.writableLength === 0) this.#socket.destroy()
  }

  /** Ends the connection. */
  close(): void {
    this.#socket.destroy()
  }

  /** What comes before an answer is written waits, and what is behind it waits in the system. */
  #take(part: Buffer): void {
    this.#unread = this.#unread === undefined ? part : Buffer.concat([this.#unread, part])
    if (!this.#isAnswering) this.#takeRequests()
    else this.#socket.pause()
    // What is received next, by any connection, is written over the part.
    if (this.#unread?.buffer === part.buffer) this.#unread = Buffer.from(this.#unread)
  }

  /** Who sends no more waits for nothing any more, as node:http takes it, but for an answer that is there already. */
  readonly #onEnd = (): void => {
    if (this.#isAnswering) this.#setup.queue.writeWaiting()
    this.#socket.end()
  }

  readonly #onTimeout = (): void => {
    if (!this.#isAnswering) this.#socket.destroy()
  }

  /** Who asks and does not read is asked to read first: answers would heap up. */
  readonly #answered = (): void => {
    if (this.#socket.writableLength > maxWaiting) {
      this.#socket.once('drain', this.#answered)
      return
    }
    this.#isAnswering = false
    if (this.#isTaking) return
    this.#takeRequests()
    if (!this.#isAnswering && !this.#isHandedOver) this.#socket.resume()
  }

  /** A loop, since what is answered at once would come here again. */
  #takeRequests(): void {
    this.#isTaking = true
    while (this.#unread !== undefined && !this.#isAnswering && this.#takeRequest(this.#unread));
    this.#isTaking = false
  }

  /** Takes the next request; one that is not ours is handed over. @returns false where it is not there as a whole */
  #takeRequest(unread: Buffer): boolean {
    const known = this.#readHead(unread)
    if (known === undefined) {
      this.#handOver(unread)
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
    } else if (effects?.close) this.#socket.destroy()
    else void this.#sendInPieces(reply)
  }

  /** Writes the short reply that waits. */
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
    try {
      await writeBody(socket, reply, { bytes: 0 })
      this.#answered()
    } catch {
      socket.destroy()
    }
  }

  #readHead(unread: Buffer): KnownHead | undefined {
    const known = this.#known.find(({ bytes }) => startsWith(unread, bytes))
    if (known !== undefined) return known
    const end = unread.indexOf(headEnd, 0, 'latin1')
    const head = end < 0 ? undefined : readRequestHead(unread.toString('latin1', 0, end))
    const route = head === undefined ? undefined : this.#setup.routeOf(head)
    if (head === undefined || route === undefined) return undefined
    if (this.#known.length === maxKnownHeads) this.#known.shift()
    const read = { bytes: Buffer.from(unread.subarray(0, end + headEnd.length)), head, route }
    this.#known.push(read)
    return read
  }

  #handOver(unread: Buffer): void {
    const socket = this.#socket
    this.#isHandedOver = true
    this.#unread = undefined
    this.#stopReceiving()
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.off('error', ignore)
    socket.off('close', this.#release)
    this.#release()
    socket.setTimeout(0)
    socket.pause()
    socket.unshift(Buffer.from(unread))
    this.#setup.handOver(socket)
    socket.resume()
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.length >= start.length && bytes.compare(start, 0, start.length, 0, start.length) === 0
}

function ignore(): void {
  // `close` follows.
}

/**
 * Stands before a server of node:http and answers the plain requests of its connections; whatever else there is reaches
 * the server, as if it had come there first.
 */
export class DirectFront {
  readonly #connections = new Set<DirectConnection>()
  /** Gives a connection to node:http. */
  readonly handOver: DirectSetup['handOver']

  constructor(server: Server, setup: Omit<DirectSetup, 'handOver' | 'queue'>) {
    const listeners = server.listeners('connection')
    server.removeAllListeners('connection')
    this.handOver = (socket) => listeners.forEach((listener) => void listener.call(server, socket))
    const forConnections = { ...setup, handOver: this.handOver, queue: new ReplyQueue() }
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

/** Bytes that one read of a socket gives at most, as libuv suggests it. */
const roomForRead = 65_536

/** What all sockets are read into. Callers are done with the part they get before the next read. */
const room = Buffer.allocUnsafeSlow(roomForRead)

/**
 * What `onread` sets on a socket that connects (`lib/net.js`). Sockets that a server accepts have the same members, but
 * no option for them.
 */
interface Members {
  buffer: symbol
  callback: symbol
}

/**
 * Hands over each part of what comes from a socket that was just accepted, in memory that is written again with the next
 * part that any socket receives. Listeners of `data` cost 64 KiB of new memory for each read, and the way through the
 * stream.
 *
 * Where Node has other members than are known here the parts come by `data`. So they do on Windows, whose sockets hold
 * the memory of their next read while they wait for it.
 *
 * @returns what ends it: from then on the socket is a stream like any other
 */
export function receive(socket: Duplex, take: (part: Buffer) => void): () => void {
  const members = membersOf(socket)
  if (members === undefined || process.platform === 'win32') {
    socket.on('data', take)
    return () => socket.off('data', take)
  }
  let isStream = false
  const accepted = socket as AcceptedSocket
  accepted[members.buffer] = room
  accepted[members.callback] = (length: number): boolean => {
    const part = room.subarray(0, length)
    if (isStream) return socket.push(Buffer.from(part))
    take(part)
    return true
  }
  accepted._handle?.useUserBuffer?.(room)
  return () => {
    isStream = true
  }
}

interface AcceptedSocket extends Duplex {
  _handle?: { useUserBuffer?: (buffer: Buffer) => void }
  [member: symbol]: unknown
}

function membersOf(socket: Duplex): Members | undefined {
  if ((socket as AcceptedSocket)._handle?.useUserBuffer === undefined) return undefined
  const symbols = Object.getOwnPropertySymbols(socket)
  const [buffer, callback] = ['kBuffer', 'kBufferCb'].map((name) =>
    symbols.find(({ description }) => description === name),
  )
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback }
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

/** Milliseconds after which answers wait no longer for those to requests that were not taken yet. */
const longestWait = 1

/**
 * Sends the answers to different clients that asked at the same time together, when all of their requests are taken.
 *
 * A write that wakes a client costs the system, and with it the node, several times as much as the next one to a client
 * that is awake. Answers to a client that asks one thing after another leave at once: it has nothing to gain.
 */
export class ReplyQueue {
  #waiting: Pick<DirectConnection, 'write'>[] = []
  /** When the first of those that wait came, by performance.now(). */
  #since = 0
  #last: Pick<DirectConnection, 'write'> | undefined
  /** Writes what waits, as the end of the turn does. */
  readonly writeWaiting = (): void => {
    const connections = this.#waiting
    this.#waiting = []
    for (const connection of connections) connection.write()
  }

  /** Lets a connection write its answer at the end of this turn of the event loop, or at once. */
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

  /** To be called before a request is taken, since it may take long. */
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
