import { TimeSlice } from './timeSlice.js'

/** Does one work after another, with turns for other work between them; the first of them is not put off. */
export class TurnQueue {
  #slice = new TimeSlice()
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  /** @param report - told of what the work throws; the next is done all the same */
  add(work: () => Promise<void>, report: (fault: unknown) => void): void {
    if (this.#waiting++ === 0) this.#slice = new TimeSlice()
    this.#last = this.#last
      .then(() => this.#slice.pause())
      .then(work)
      .catch(report)
      .finally(() => this.#waiting--)
  }
}
