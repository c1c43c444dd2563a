import type { Duplex, Writable } from 'node:stream'
import { setImmediate } from 'node:timers'
import type { Server, WebSocket } from 'ws'
import type { Caller, CallerConnection } from '../provider/admission/admission.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import { type Reply, createReply } from '../rpc/wire.js'
import type { Connection } from '../rpc/session.js'
import { Backlog } from './backlog.js'

// The imported one keeps working when a test replaces the global timers.

/** Close codes (RFC 6455, section 7.4.1). */
const goingAway = 1001
const noStatus = 1005
const abnormal = 1006
const policyViolation = 1008
const messageTooBig = 1009

/** What a connection goes by. */
export interface ConnectionOptions {
  /** Seconds after which a silent connection is closed; undefined never. */
  idleTimeout: number | undefined
  /** Longest message in bytes. */
  maxMessage: number
  /** Most items of a batch; the pipeline's own limit unless given. */
  maxBatch: number | undefined
  /** Whether the path was one without `v3`. */
  isPlainPath: boolean
  /** Told of faults of ours. */
  report: (fault: unknown) => void
}

/** One WebSocket as the pipeline, quotas and faults see it. */
export class WebSocketConnection implements CallerConnection {
  dropsEvents = false
  readonly #socket: AnnouncingWebSocket
  readonly #stream: Duplex
  readonly #frames: ReplyFrames
  readonly #options: ConnectionOptions
  readonly #gone = new AbortController()
  readonly #backlog: Backlog
  #idleTimer: NodeJS.Timeout | undefined
  #idleMilliseconds: number | undefined

  /** @param stream - what the frames of the socket go out on */
  constructor(socket: AnnouncingWebSocket, stream: Duplex, options: ConnectionOptions) {
    this.#socket = socket
    this.#stream = stream
    this.#frames = new ReplyFrames(stream)
    socket.beforeClose = () => this.#frames.flush()
    this.#options = options
    this.#backlog = new Backlog({
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      get isPaused() {
        return socket.isPaused
      },
      get waitingBytes() {
        return socket.bufferedAmount
      },
    })
    if (options.idleTimeout !== undefined) this.#idleMilliseconds = options.idleTimeout * 1000
  }

  /** Answers messages until the connection ends, then calls `ended`. */
  run(pipeline: RpcPipeline, caller: Caller, ended: () => void): void {
    const { maxMessage, maxBatch, isPlainPath, report } = this.#options
    const signal = this.#gone.signal
    const session = pipeline.open(this.#asTarget(), {
      transport: 'websocket',
      caller,
      maxBatch,
      isPlainPath,
      signal,
    })
    this.#watchIdleness()
    this.#socket.on('message', (data: Buffer) => {
      this.#watchIdleness()
      if (this.#socket.readyState !== this.#socket.OPEN) return
      if (data.length > maxMessage) {
        this.close(messageTooBig, '')
        return
      }
      this.#backlog.handle(() => session.receive(data), report)
    })
    this.#stream.on('drain', () => this.#backlog.resume())
    // A protocol error or a reset; `close` follows.
    this.#socket.on('error', () => undefined)
    this.#socket.once('close', () => {
      clearTimeout(this.#idleTimer)
      this.#gone.abort()
      session.close()
      ended()
    })
  }

  #asTarget(): Connection {
    const socket = this.#socket
    return {
      answer: (reply) => this.#answer(reply),
      push: (message) => this.#push(message),
      close: (reason, code = policyViolation) => {
        if (code === abnormal) this.destroy()
        else if (code === noStatus) this.close()
        else this.close(code, reason)
      },
      get bufferedBytes() {
        return socket.bufferedAmount
      },
    }
  }

  #answer(reply: Reply): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#backlog.answered(reply.byteLength)
    this.#frames.write(reply)
  }

  #push(message: Uint8Array): void {
    if (this.dropsEvents || this.#socket.readyState !== this.#socket.OPEN) return
    this.#frames.write(createReply([message]))
  }

  close(code?: number, reason?: string): void {
    this.#backlog.clear()
    this.#socket.closeNow(code, reason)
  }

  /** Ends it without a close frame, but not before what was answered until then. */
  destroy(): void {
    this.#frames.flush()
    this.#socket.terminate()
  }

  closeWhenIdle(milliseconds: number): void {
    this.#idleMilliseconds = milliseconds
    clearTimeout(this.#idleTimer)
    this.#idleTimer = undefined
    this.#watchIdleness()
  }

  /** Tells the other side that the node stops, and does not wait for its answer. */
  goAway(): void {
    this.#socket.close(goingAway)
    setTimeout(() => this.#socket.terminate(), 200).unref()
  }

  #watchIdleness(): void {
    if (this.#idleMilliseconds === undefined || this.#gone.signal.aborted) return
    if (this.#idleTimer !== undefined) this.#idleTimer.refresh()
    else this.#idleTimer = setTimeout(() => this.#socket.close(goingAway), this.#idleMilliseconds)
  }
}

/** A WebSocket that tells when its close frame is about to leave, since no answer may follow that one. */
export interface AnnouncingWebSocket extends WebSocket {
  /** Called before the close frame is written, whichever side closes. */
  beforeClose: (() => void) | undefined
  closeNow(code?: number, reason?: string | Buffer): void
}

type AnnouncingClass = typeof WebSocket & (new (...parameters: never) => AnnouncingWebSocket)

/** Turns upgraded sockets into WebSockets. */
export type WebSockets = Server<AnnouncingClass>

/** The library is loaded with the first upgrade. @param maxPayload - the longest message in bytes */
export async function openWebSockets(maxPayload: number): Promise<WebSockets> {
  const { WebSocketServer, WebSocket: PlainWebSocket } = await import('ws')
  class Announcing extends PlainWebSocket implements AnnouncingWebSocket {
    beforeClose: (() => void) | undefined

    /** The library closes when the other side does. What can be answered in this turn of the event loop is, before. */
    override close(code?: number, reason?: string | Buffer): void {
      setImmediate(() => this.closeNow(code, reason))
    }

    closeNow(code?: number, reason?: string | Buffer): void {
      this.beforeClose?.()
      super.close(code, reason)
    }
  }
  const options = { noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload }
  return new WebSocketServer({ ...options, WebSocket: Announcing })
}

/** FIN and the opcode of text (RFC 6455, section 5.2). */
const wholeText = 0x81
/** Payloads that are longer than the first says their length in two bytes more, than the second in eight. */
const longestShort = 125
const longestMedium = 0xffff

/**
 * The head of an unmasked frame that is a whole message of text (RFC 6455, section 5.2), one character for each byte.
 *
 * @param length of the payload in bytes
 */
export function formatFrameHead(length: number): string {
  if (length <= longestShort) return String.fromCharCode(wholeText, length)
  if (length <= longestMedium) return String.fromCharCode(wholeText, 126, length >>> 8, length & 0xff)
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(length))
  return String.fromCharCode(wholeText, 127, ...bytes)
}

/**
 * Answers that wait for each other at most: so few that the other side reads the first while the next are made, so many
 * that the system's part of a write is small for each.
 */
const mostGathered = 8

/**
 * Writes replies as frames, and those to messages that came together in few writes. It takes the place of ws's Sender,
 * which makes a head of bytes for each message and writes it beside the payload; without masks and compression there is
 * no more to do than this.
 */
export class ReplyFrames {
  readonly #stream: Writable
  #text = ''
  #gathered = 0
  readonly #flush = (): void => this.flush()

  constructor(stream: Writable) {
    this.#stream = stream
  }

  /** Writes a reply, at the end of this tick at the latest. A close frame needs a `flush` before it. */
  write(reply: Reply): void {
    const { byteText, byteLength } = reply
    const head = formatFrameHead(byteLength)
    if (byteText === undefined) {
      this.flush()
      this.#stream.cork()
      this.#stream.write(head, 'latin1')
      for (const piece of reply.pieces) this.#stream.write(piece)
      this.#stream.uncork()
      return
    }
    this.#text += head + byteText
    this.#gathered += 1
    if (this.#gathered === mostGathered) this.flush()
    else if (this.#gathered === 1) process.nextTick(this.#flush)
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#gathered === 0) return
    this.#stream.write(this.#text, 'latin1')
    this.#text = ''
    this.#gathered = 0
  }
}
