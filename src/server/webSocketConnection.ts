import type { Duplex, Writable } from 'node:stream'
// Imported, so that it keeps working when a test replaces the global timers.
import { setImmediate } from 'node:timers'
import type { Server, WebSocket } from 'ws'
import type { Awaitable } from '../encoding/timeSlice.js'
import type { Caller, CallerConnection } from '../provider/admission/admission.js'
import type { RpcPipeline } from '../rpc/pipeline.js'
import { type Reply, createReply } from '../rpc/wire.js'
import type { Connection } from '../rpc/session.js'
import { Backlog } from './backlog.js'
import { IncomingMemory } from './incomingMemory.js'
import { takeLongFramesInPieces } from './longFrames.js'

/** Reason to give up the requests of a closed connection: one for all, because each would capture a stack trace. */
const connectionGone = new DOMException('This operation was aborted', 'AbortError')

/** Close codes (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001
const NO_STATUS = 1005
const ABNORMAL = 1006
const POLICY_VIOLATION = 1008
const MESSAGE_TOO_BIG = 1009

/** Options of a connection. */
export interface ConnectionOptions {
  /** Seconds of silence before the connection is closed; never if undefined. */
  idleTimeout: number | undefined
  /** Maximum message length in bytes. */
  maxMessage: number
  /** Maximum batch size; the pipeline's own limit by default. */
  maxBatch: number | undefined
  /** Whether the path lacks `v3`. */
  isPlainPath: boolean
  /** Receives internal faults. */
  report: (fault: unknown) => void
}

/** Answers a message that holds memory. */
async function answerAndRelease(answer: () => Awaitable<void>, release: () => void): Promise<void> {
  try {
    await answer()
  } finally {
    release()
  }
}

/** A WebSocket as the pipeline, quotas and faults see it. */
export class WebSocketConnection implements CallerConnection {
  dropsEvents = false
  readonly #socket: AnnouncingWebSocket
  readonly #stream: Duplex
  readonly #frames: ReplyFrames
  readonly #options: ConnectionOptions
  readonly #gone = new AbortController()
  readonly #backlog: Backlog
  readonly #memory = new IncomingMemory(() => {
    // A paused connection is read no further, so its client is not the one that stalls.
    if (!this.#socket.isPaused) this.destroy()
  })
  #idleTimer: NodeJS.Timeout | undefined
  #idleMilliseconds: number | undefined

  /** @param stream - carries the socket's frames */
  constructor(socket: AnnouncingWebSocket, stream: Duplex, options: ConnectionOptions) {
    this.#socket = socket
    this.#stream = stream
    this.#frames = new ReplyFrames(stream)
    socket.beforeClose = () => this.#frames.flush()
    takeLongFramesInPieces(socket, this.#memory)
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

  /** Answers messages until the connection closes, then calls `ended`. */
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
      const release = this.#memory.complete()
      if (this.#socket.readyState !== this.#socket.OPEN) return
      if (data.length > maxMessage) {
        this.close(MESSAGE_TOO_BIG, '')
        return
      }
      const receive = () => session.receive(data)
      this.#backlog.handle(release === undefined ? receive : () => answerAndRelease(receive, release), report)
    })
    this.#stream.on('drain', () => this.#backlog.resume())
    this.#stream.once('close', () => this.#memory.end())
    // Protocol error or reset; `close` follows.
    this.#socket.on('error', () => undefined)
    this.#socket.once('close', () => {
      clearTimeout(this.#idleTimer)
      this.#gone.abort(connectionGone)
      session.close()
      ended()
    })
  }

  #asTarget(): Connection {
    const socket = this.#socket
    return {
      answer: (reply) => this.#answer(reply),
      push: (message) => this.#push(message),
      close: (reason, code = POLICY_VIOLATION) => {
        if (code === ABNORMAL) this.destroy()
        else if (code === NO_STATUS) this.close()
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

  /** Closes it without a close frame, after sending all answers so far. */
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

  /** Closes it because the node stops, and waits only briefly for the peer's close frame. */
  goAway(): void {
    this.#socket.close(GOING_AWAY)
    setTimeout(() => this.#socket.terminate(), 200).unref()
  }

  #watchIdleness(): void {
    if (this.#idleMilliseconds === undefined || this.#gone.signal.aborted) return
    if (this.#idleTimer !== undefined) this.#idleTimer.refresh()
    else this.#idleTimer = setTimeout(() => this.#socket.close(GOING_AWAY), this.#idleMilliseconds)
  }
}

/** A WebSocket that announces its close frame, because no answer may follow that one. */
export interface AnnouncingWebSocket extends WebSocket {
  /** Called before the close frame is written, whichever side closes. */
  beforeClose: (() => void) | undefined
  closeNow(code?: number, reason?: string | Buffer): void
}

type AnnouncingClass = typeof WebSocket & (new (...parameters: never) => AnnouncingWebSocket)

/** Upgrades sockets to WebSockets. */
export type WebSockets = Server<AnnouncingClass>

/** Loads the library, which happens on the first upgrade. @param maxPayload - maximum message length in bytes */
export async function openWebSockets(maxPayload: number): Promise<WebSockets> {
  const { WebSocketServer, WebSocket: PlainWebSocket } = await import('ws')
  class Announcing extends PlainWebSocket implements AnnouncingWebSocket {
    beforeClose: (() => void) | undefined

    /**
     * The library calls this when the peer closes. Delayed, so that requests answered in this turn still get their
     * answer.
     */
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

/** FIN and the text opcode (RFC 6455, section 5.2). */
const FINAL_TEXT_FRAME = 0x81
/** Payloads longer than the first have a 2-byte extended length, longer than the second an 8-byte one. */
const MAX_SHORT_PAYLOAD = 125
const MAX_MEDIUM_PAYLOAD = 0xffff

/**
 * Formats the head of an unmasked frame with a whole text message (RFC 6455, section 5.2), one character per byte.
 *
 * @param length - of the payload in bytes
 */
function formatFrameHead(length: number): string {
  if (length <= MAX_SHORT_PAYLOAD) return String.fromCharCode(FINAL_TEXT_FRAME, length)
  if (length <= MAX_MEDIUM_PAYLOAD)
    return String.fromCharCode(FINAL_TEXT_FRAME, 126, length >>> 8, length & 0xff)
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(length))
  return String.fromCharCode(FINAL_TEXT_FRAME, 127, ...bytes)
}

/**
 * Maximum number of answers per write: few enough that the client reads the first ones while the next are computed,
 * many enough that the system's share of a write is small.
 */
const MAX_BATCHED_ANSWERS = 8

/**
 * Writes replies as frames, combining those to messages that arrived together. Replaces ws's Sender, which allocates
 * each head and writes it separately from the payload; without masks and compression, this is all that it needs to do.
 */
export class ReplyFrames {
  readonly #stream: Writable
  #text = ''
  #gathered = 0
  readonly #flush = (): void => this.flush()

  constructor(stream: Writable) {
    this.#stream = stream
  }

  /** Writes a reply, at the latest at the end of this tick. Call `flush` before a close frame. */
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
    if (this.#gathered === MAX_BATCHED_ANSWERS) this.flush()
    else if (this.#gathered === 1) process.nextTick(this.#flush)
  }

  /** Writes the gathered replies. */
  flush(): void {
    if (this.#gathered === 0) return
    this.#stream.write(this.#text, 'latin1')
    this.#text = ''
    this.#gathered = 0
  }
}
