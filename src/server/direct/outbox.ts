import { atEndOfTurn } from '../../encoding/timeSlice.js'

/** Milliseconds after which answers wait no longer for those to requests that were not taken yet. */
const longestWait = 1

/** An answer on its way out. */
export interface OutgoingAnswer {
  /** The connection that it goes out on. */
  readonly connection: object
  write: () => void
}

/**
 * Sends the answers to different clients that asked at the same time together, when all of their requests are taken.
 *
 * A client that waits sleeps, and a write that wakes it costs the system, and with it the node, several times as much as
 * the next one to a client that is awake. Answers to who asks one thing after another leave at once: nothing is gained
 * for them.
 */
export class ReplyQueue {
  #waiting: OutgoingAnswer[] = []
  /** When the first of those that wait came, by performance.now(). */
  #since = 0
  #last: object | undefined
  /** Writes what waits, as the end of the turn does. */
  readonly writeWaiting = (): void => {
    const answers = this.#waiting
    this.#waiting = []
    for (const answer of answers) answer.write()
  }

  /** Writes an answer at the end of this turn of the event loop, or at once. */
  send(answer: OutgoingAnswer): void {
    if (answer.connection === this.#last) {
      answer.write()
      return
    }
    this.#last = answer.connection
    if (this.#waiting.push(answer) > 1) return
    this.#since = performance.now()
    atEndOfTurn(this.writeWaiting)
  }

  /** To be called before a request is taken, since nobody knows how long it takes. */
  writeOverdue(): void {
    if (this.#waiting.length > 0 && performance.now() - this.#since > longestWait) this.writeWaiting()
  }
}
