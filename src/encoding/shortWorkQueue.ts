import { TimeSlice } from './timeSlice.js'

/** Works that wait at most: of more, the first is done at once. */
const MOST_WAITING = 100_000

/**
 * Does short works in their order, and yields to others between them: an event may have tens of thousands of
 * subscriptions, and one read of a connection may hold thousands of requests. What fits into this turn of the event loop
 * is done at once.
 */
export class ShortWorkQueue {
  #slice = new TimeSlice()
  #waiting: (() => void)[] = []
  /** How many of those in `#waiting` are done. */
  #done = 0

  /** @param work - must not throw */
  add(work: () => void): void {
    if (this.#waiting.length > 0) {
      if (this.#waiting.push(work) - this.#done > MOST_WAITING) this.#doNext()
      return
    }
    const pause = this.#slice.pause()
    if (pause === undefined) {
      work()
      return
    }
    this.#waiting.push(work)
    void pause.then(() => this.#doAll())
  }

  #doAll(): void {
    while (this.#done < this.#waiting.length) {
      const pause = this.#slice.pause()
      if (pause !== undefined) {
        void pause.then(() => this.#doAll())
        return
      }
      this.#doNext()
    }
    this.#waiting = []
    this.#done = 0
    this.#slice = new TimeSlice()
  }

  #doNext(): void {
    const work = this.#waiting[this.#done]
    // What is done is not held on to; the list itself is made shorter from time to time.
    this.#waiting[this.#done++] = nothing
    if (this.#done > MOST_WAITING) {
      this.#waiting = this.#waiting.slice(this.#done)
      this.#done = 0
    }
    work?.()
  }
}

function nothing(): void {
  // Stands for a work that is done.
}
