import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { TimeSlice } from '../encoding/timeSlice.js'
import { PacedInput } from './pacedInput.js'

/**
 * Bytes of a request that are read after its answer, so that its client gets to read that and may keep the connection;
 * what sends more is cut off. Kubo reads 256 KiB (Go, net/http), upon which many clients see no answer.
 */
const maxDropped = 16 * 1024 * 1024

/**
 * Lets the requests of a connection begin one after another, though they may come together (RFC 9112, section 9.3.2), and
 * those of many connections over many turns of the event loop. Their answers go out in order anyhow, and node:http would
 * begin the hundreds that one read of a socket can hold at once.
 */
export function oneAfterAnother(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, RequestQueue>()
  return (request, response) => {
    const { socket } = request
    let queue = queues.get(socket)
    if (queue === undefined) queues.set(socket, (queue = new RequestQueue(socket, listener)))
    queue.add(request, response)
  }
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

/** The requests of a connection. */
class RequestQueue {
  readonly #socket: Socket
  readonly #listener: RequestListener
  readonly #waiting: Exchange[] = []
  #isBusy = false
  /** The request that came last. */
  #last: IncomingMessage | undefined
  #input: PacedInput | undefined
  /** How many bytes the connection may have brought when a request that was answered early is complete. */
  #mostRead = Infinity
  /** Lets more be read when no request waits. */
  #emptied: (() => void) | undefined

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket
    this.#listener = listener
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#last = request
    this.#mostRead = Infinity
    if (this.#isBusy || request.headers['transfer-encoding'] !== undefined) this.#paceInput()
    if (this.#isBusy) {
      this.#waiting.push({ request, response })
      return
    }
    this.#isBusy = true
    this.#begin({ request, response })
  }

  #paceInput(): void {
    if (this.#input?.isActive === true) return
    this.#input = PacedInput.begin(this.#socket, {
      wait: () => {
        if (this.#last?.complete === false && this.#socket.bytesRead > this.#mostRead) this.#socket.destroy()
        return this.#waiting.length === 0 ? undefined : new Promise((resolve) => (this.#emptied = resolve))
      },
      isOver: () => this.#waiting.length === 0 && this.#last?.complete !== false,
    })
  }

  #begin(exchange: Exchange): void {
    const pause = new TimeSlice().pause()
    if (pause === undefined) this.#run(exchange)
    else void pause.then(() => this.#run(exchange))
  }

  #run({ request, response }: Exchange): void {
    response.once('close', () => this.#next(request))
    this.#listener(request, response)
  }

  #next(answered: IncomingMessage): void {
    if (this.#socket.destroyed) return
    if (!answered.complete) {
      this.#mostRead = this.#socket.bytesRead + maxDropped
      this.#paceInput()
    }
    const exchange = this.#waiting.shift()
    if (exchange === undefined) this.#isBusy = false
    else this.#begin(exchange)
    if (this.#waiting.length === 0) this.#emptied?.()
  }
}
