import { nextTurn } from './turn.js'

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

/** Work that is cut into pieces of a few milliseconds at most, and what it comes to. */
export type Pieces<T> = Generator<void, T, undefined>

/** Does all pieces at once. */
export function runAtOnce<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
  }
}

/** Does one piece after another, with turns for other work where the slice is used up. */
export async function runInSlices<T>(pieces: Pieces<T>, slice: TimeSlice): Promise<T> {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
}
