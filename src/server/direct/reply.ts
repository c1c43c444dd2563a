import { STATUS_CODES } from 'node:http'
import { atEndOfTurn } from '../../encoding/timeSlice.js'
import type { HttpReply } from '../reply.js'

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
