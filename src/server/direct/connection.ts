import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { refuse } from '../../provider/admission/refusal.js'
import { type HttpReply, textReply, writeBody } from '../reply.js'
import type { RpcRoute } from '../request.js'
import {
  DirectRequest,
  ReplyQueue,
  type RequestHead,
  type WaitingConnection,
  formatReplyHead,
  readRequestHead,
} from './request.js'

const serverFault = refuse(500, 'internal server error\n')

const headEnd = '\r\n\r\n'
/** Bytes of answers that may wait for a slow reader before the next request is taken. */
const maxWaiting = 1024 * 1024
/** A client's heads differ in Content-Length alone, and so by the kind of request: sending, asking for a receipt. */
const maxKnownHeads = 4

/** What requests of a connection are answered by. */
export interface DirectSetup {
  /** The route of a request that is answered here; undefined for one that is node:http's. */
  routeOf: (head: RequestHead) => RpcRoute | undefined
  answer: (request: DirectRequest, route: RpcRoute) => Promise<HttpReply>
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
export class DirectConnection implements WaitingConnection {
  readonly #socket: Socket
  readonly #setup: DirectSetup
  readonly #release: () => void
  readonly #stopReceiving: () => void
  /** What has come and is not taken yet. */
  #unread: Buffer | undefined
  /** The one that was read last is the last. */
  readonly #known: KnownHead[] = []
  #isAnswering = false
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
    if (!this.#isAnswering) this.#takeRequest()
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
    this.#takeRequest()
    if (!this.#isAnswering && !this.#isHandedOver) this.#socket.resume()
  }

  /** Takes the next request. Where it is not there as a whole nothing happens; one that is not ours is handed over. */
  #takeRequest(): void {
    const unread = this.#unread
    if (unread === undefined) return
    const known = this.#readHead(unread)
    if (known === undefined) {
      this.#handOver(unread)
      return
    }
    const start = known.bytes.length
    const end = start + known.head.bodyLength
    if (unread.length < end) return
    this.#unread = unread.length === end ? undefined : unread.subarray(end)
    this.#isAnswering = true
    const { queue, answer, report } = this.#setup
    queue.writeOverdue()
    const request = new DirectRequest(known.head, unread.toString('utf8', start, end), this.#socket)
    void answer(request, known.route)
      .catch((fault: unknown) => {
        report(fault)
        return textReply(serverFault)
      })
      .then((reply) => {
        request.settle()
        this.#send(reply)
      })
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

/** What all sockets are read into: whoever is handed a part of it is done with that before the next read. */
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
