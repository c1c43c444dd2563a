import { setImmediate as nextTurn } from 'node:timers/promises'

/** How long work may hold the event loop before other work has its turn. */
const SLICE_MILLISECONDS = 5

/** Cuts long work into slices, so that other requests are answered between them. */
export class TimeSlice {
  #end = performance.now() + SLICE_MILLISECONDS

  /** A promise to wait for if the slice is used up, otherwise undefined. */
  pause(): Promise<void> | undefined {
    if (performance.now() < this.#end) return undefined
    return nextTurn().then(() => {
      this.#end = performance.now() + SLICE_MILLISECONDS
    })
  }
}
