import type { Socket } from 'node:net'
import type { Caller } from '../provider/caller.js'
import type { Dispatcher } from '../rpc/dispatcher.js'
import type { Connection } from '../rpc/session.js'
import { Backlog } from './backlog.js'
import { JsonStream } from './jsonStream.js'

const lineEnd = Buffer.from('\n')

/** What an IPC connection goes by. */
export interface IpcConnectionOptions {
  /** Longest message in bytes; a longer one ends the connection. */
  maxMessage: number
  /** Told of faults of ours. */
  report: (fault: unknown) => void
}

/** One connection to the IPC endpoint: JSON texts come in one after another, and go out a line each. */
export class IpcConnection {
  readonly #socket: Socket
  readonly #options: IpcConnectionOptions
  readonly #messages = new JsonStream()
  readonly #backlog: Backlog

  constructor(socket: Socket, options: IpcConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.#backlog = new Backlog({
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      get isPaused() {
        return socket.isPaused()
      },
      get waitingBytes() {
        return socket.writableLength
      },
    })
  }

  /** Answers messages until the connection ends. */
  run(dispatcher: Dispatcher, caller: Caller): void {
    const socket = this.#socket
    const gone = new AbortController()
    const session = dispatcher.open(this.#asTarget(), { transport: 'ipc', caller, signal: gone.signal })
    socket.on('data', (chunk: Buffer) => {
      for (const message of this.#messages.push(chunk)) {
        this.#backlog.handle(() => session.receive(message), this.#options.report)
      }
      if (this.#messages.waiting > this.#options.maxMessage) socket.destroy()
    })
    socket.on('drain', () => this.#backlog.resume())
    // A reset by the other side; `close` follows.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      gone.abort()
      session.close()
    })
  }

  #asTarget(): Connection {
    const socket = this.#socket
    const send = (pieces: readonly Uint8Array[]): void => {
      if (!socket.writable) return
      socket.cork()
      for (const piece of pieces) socket.write(piece)
      socket.write(lineEnd)
      socket.uncork()
    }
    return {
      answer: (reply) => send(reply.pieces),
      push: (message) => send([message]),
      close: () => socket.end(),
      get bufferedBytes() {
        return socket.writableLength
      },
    }
  }
}
