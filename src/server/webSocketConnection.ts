import type { WebSocket } from 'ws'
import type { Caller } from '../provider/caller.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import type { Connection } from '../rpc/session.js'

/** Close codes (RFC 6455, section 7.4.1). */
const goingAway = 1001
const policyViolation = 1008

/** Messages that may be in work at once before the connection is read no further. */
const maxInWork = 1000

/** Answer bytes that may wait for a slow reader before the connection is read no further. */
const maxWaiting = 16 * 1024 * 1024

/** One WebSocket as the dispatcher sees it. */
export class WebSocketConnection implements Connection {
  readonly #socket: WebSocket
  readonly #idleMilliseconds: number | undefined
  readonly #report: (fault: unknown) => void
  readonly #gone = new AbortController()
  #idleTimer: NodeJS.Timeout | undefined
  #inWork = 0

  constructor(
    socket: WebSocket,
    options: { idleTimeout: number | undefined; report: (fault: unknown) => void },
  ) {
    this.#socket = socket
    this.#idleMilliseconds = options.idleTimeout === undefined ? undefined : options.idleTimeout * 1000
    this.#report = options.report
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  /** Answers messages until the connection ends, then calls `ended`. */
  run(dispatcher: Dispatcher, caller: Caller, ended: () => void): void {
    const session = dispatcher.open(this, { transport: 'websocket', caller, signal: this.#gone.signal })
    this.#watchIdleness()
    this.#socket.on('message', (data: Buffer) => {
      this.#watchIdleness()
      this.#begin()
      session
        .receive(data)
        .catch(this.#report)
        .finally(() => this.#finish())
    })
    // A protocol error or a reset; `close` follows.
    this.#socket.on('error', () => undefined)
    this.#socket.once('close', () => {
      clearTimeout(this.#idleTimer)
      this.#gone.abort()
      session.close()
      ended()
    })
  }

  send(pieces: readonly Uint8Array[]): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    pieces.forEach((piece, index) => {
      this.#socket.send(piece, { binary: false, fin: index === pieces.length - 1 }, () => this.#resume())
    })
  }

  close(reason: string): void {
    this.#socket.close(policyViolation, reason)
  }

  /** Tells the other side that the node stops, and does not wait for its answer. */
  goAway(): void {
    this.#socket.close(goingAway)
    setTimeout(() => this.#socket.terminate(), 200).unref()
  }

  #begin(): void {
    this.#inWork += 1
    if (this.#isBusy()) this.#socket.pause()
  }

  #finish(): void {
    this.#inWork -= 1
    this.#resume()
  }

  #resume(): void {
    if (this.#socket.isPaused && !this.#isBusy()) this.#socket.resume()
  }

  #isBusy(): boolean {
    return this.#inWork >= maxInWork || this.#socket.bufferedAmount > maxWaiting
  }

  #watchIdleness(): void {
    if (this.#idleMilliseconds === undefined) return
    if (this.#idleTimer !== undefined) this.#idleTimer.refresh()
    else this.#idleTimer = setTimeout(() => this.#socket.close(goingAway), this.#idleMilliseconds)
  }
}
