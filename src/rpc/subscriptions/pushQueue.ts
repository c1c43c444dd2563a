import { TimeSlice } from '../../encoding/timeSlice.js'

/** Pushes that wait at most: of more, the first goes out at once. */
const MOST_WAITING = 100_000

/**
 * Sends pushes in their order, and yields to other work between them: an event may have tens of thousands of subscriptions.
 * What fits into this turn of the event loop goes out at once.
 */
export class PushQueue {
  #slice = new TimeSlice()
  #waiting: (() => void)[] = []
  /** How many of those in `#waiting` were sent. */
  #sent = 0

  /** @param push - must not throw */
  add(push: () => void): void {
    if (this.#waiting.length > 0) {
      if (this.#waiting.push(push) - this.#sent > MOST_WAITING) this.#sendNext()
      return
    }
    const pause = this.#slice.pause()
    if (pause === undefined) {
      push()
      return
    }
    this.#waiting.push(push)
    void pause.then(() => this.#sendAll())
  }

  #sendAll(): void {
    while (this.#sent < this.#waiting.length) {
      const pause = this.#slice.pause()
      if (pause !== undefined) {
        void pause.then(() => this.#sendAll())
        return
      }
      this.#sendNext()
    }
    this.#waiting = []
    this.#sent = 0
    this.#slice = new TimeSlice()
  }

  #sendNext(): void {
    const push = this.#waiting[this.#sent]
    // What was sent is not held on to; the list itself shrinks when half of it is gone.
    this.#waiting[this.#sent++] = nothing
    if (this.#sent > MOST_WAITING) {
      this.#waiting = this.#waiting.slice(this.#sent)
      this.#sent = 0
    }
    push?.()
  }
}

function nothing(): void {
  // Stands for a push that was sent.
}
