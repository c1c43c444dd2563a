import type { Socket } from 'node:net'
import { TimeSlice } from '../encoding/timeSlice.js'

/** Bytes that node:http reads at once before the clock is looked at. The shortest chunk of a body takes six. */
const bytesAtOnce = 4096
/** The same while they take little time: chunks are long. */
const mostBytesAtOnce = 16 * 1024
/** Milliseconds that a part may take for the next one to be longer. */
const quick = 0.5

/** A connection of node:http. */
interface ReadSocket extends Socket {
  /** What reads it; another one, or none, when it is node:http's no more. */
  parser?: unknown
  /** Whether node:http waits until answers have been read; it resumes the connection itself then. */
  _paused?: boolean
}

/** What decides how a connection is read. */
export interface InputPace {
  /** What to wait for before more is read; undefined where there is nothing. */
  wait(): Promise<void> | undefined
  /** Whether node:http may read on by itself. */
  isOver(): boolean
}

/**
 * Gives node:http what comes on a connection in short parts, until that is over. One read of a socket can hold ten
 * thousand chunks of a body, or a thousand requests, each of which costs some microseconds or begins some work.
 *
 * node:http reads a connection where nobody sees it until something listens for data, and has a listener of its own
 * then, which is what is given the parts.
 */
export class PacedInput {
  readonly #socket: ReadSocket
  readonly #parser: unknown
  readonly #pace: InputPace
  readonly #read: (bytes: Buffer) => void
  readonly #pauseSocket: () => void
  readonly #resumeSocket: () => void
  /** Whether node:http wants more. */
  #isWanted: boolean
  #isHolding = false
  #atOnce = bytesAtOnce
  /** Goes on when node:http resumes the connection. */
  #resumed: (() => void) | undefined

  private constructor(socket: ReadSocket, pace: InputPace, read: (bytes: Buffer) => void) {
    this.#socket = socket
    this.#parser = socket.parser
    this.#pace = pace
    this.#read = read
    this.#isWanted = !socket.isPaused()
    const { pause, resume } = socket
    this.#pauseSocket = () => void pause.call(socket)
    this.#resumeSocket = () => void resume.call(socket)
    socket.on('data', this.#take)
    socket.off('data', read)
    socket.pause = () => {
      this.#isWanted = false
      return pause.call(socket)
    }
    socket.resume = () => {
      this.#isWanted = true
      if (!this.#isHolding) return resume.call(socket)
      this.#resumed?.()
      return socket
    }
  }

  /** @returns undefined where something else reads the connection too */
  static begin(socket: ReadSocket, pace: InputPace): PacedInput | undefined {
    const [read, ...others] = socket.listeners('data')
    if (read === undefined || others.length > 0 || !socket.parser) return undefined
    return new PacedInput(socket, pace, read as (bytes: Buffer) => void)
  }

  /** Whether the connection is read here. */
  get isActive(): boolean {
    return this.#socket.listeners('data').includes(this.#take)
  }

  readonly #take = (bytes: Buffer): void => {
    const slice = new TimeSlice()
    let start = 0
    const goOn = (): void => {
      while (start < bytes.length && this.#isConnected()) {
        const wait = this.#pace.wait() ?? this.#untilRead() ?? slice.pause()
        if (this.#socket.destroyed) return
        if (wait !== undefined) {
          this.#isHolding = true
          this.#pauseSocket()
          void wait.then(goOn)
          return
        }
        this.#readPart(bytes.subarray(start, (start += this.#atOnce)))
      }
      if (this.#socket.destroyed) return
      if (!this.#isConnected() || this.#pace.isOver()) this.#end(bytes.subarray(start))
      const wasHolding = this.#isHolding
      this.#isHolding = false
      if (wasHolding && this.#isWanted) this.#resumeSocket()
    }
    goOn()
  }

  #readPart(part: Buffer): void {
    const before = performance.now()
    this.#read.call(this.#socket, part)
    const isQuick = performance.now() - before < quick
    this.#atOnce = isQuick ? Math.min(mostBytesAtOnce, 2 * this.#atOnce) : bytesAtOnce
  }

  /** Until the client has read answers of which too many wait. */
  #untilRead(): Promise<void> | undefined {
    if (this.#socket._paused !== true) return undefined
    return new Promise((resolve) => (this.#resumed = resolve))
  }

  #isConnected(): boolean {
    return !this.#socket.destroyed && this.#socket.parser === this.#parser
  }

  /** Leaves the connection, and what is not read of it, to whom it belongs. */
  #end(rest: Buffer): void {
    const socket: Partial<Pick<Socket, 'pause' | 'resume'>> = this.#socket
    delete socket.pause
    delete socket.resume
    this.#socket.off('data', this.#take)
    if (this.#isConnected()) this.#socket.on('data', this.#read)
    if (rest.length > 0) this.#socket.unshift(rest)
  }
}
