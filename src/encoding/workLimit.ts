import { type Awaitable, TimeSlice, orElse, whenReady } from './timeSlice.js'

/** Lets a number of tasks run at once; the others wait in order. */
export class Semaphore {
  readonly #most: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** Runs a task, at once if there is room. */
  run<T>(task: () => Awaitable<T>): Awaitable<T> {
    return whenReady(this.enter(), () => settled(task, () => this.leave()))
  }

  /** Returns a promise to await if there is no room. Each call needs one of {@link leave}. */
  enter(): Promise<void> | undefined {
    if (this.#running < this.#most) {
      this.#running++
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Hands the room to the next task. */
  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next()
  }
}

/** Pauses after which work is long. */
const SHORT_WORK_PAUSES = 4

/** Slices of work of which only so much may be in progress once it has turned out to be long. */
export class LimitedSlice extends TimeSlice {
  readonly #long: Semaphore
  #pauses = 0

  constructor(long: Semaphore) {
    super()
    this.#long = long
  }

  override pause(): Promise<void> | undefined {
    const pause = super.pause()
    if (pause === undefined || ++this.#pauses !== SHORT_WORK_PAUSES) return pause
    return pause.then(() => this.#long.enter())
  }

  /** The work is over. */
  end(): void {
    if (this.#pauses >= SHORT_WORK_PAUSES) this.#long.leave()
  }
}

/** Runs work, and `end` once it is over. */
export function settled<T>(work: () => Awaitable<T>, end: () => void): Awaitable<T> {
  const result = orElse(work, (error) => {
    end()
    throw error
  })
  return whenReady(result, (value) => {
    end()
    return value
  })
}
