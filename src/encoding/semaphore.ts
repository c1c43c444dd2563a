import { type Awaitable, orElse, whenReady } from './timeSlice.js'

/** Lets a number of tasks run at once; the others wait in order. */
export class Semaphore {
  readonly #permits: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(permits: number) {
    this.#permits = permits
  }

  /** Runs a task, at once if there is a permit left. */
  run<T>(task: () => Awaitable<T>): Awaitable<T> {
    return whenReady(this.#acquire(), () => settled(task, () => this.#release()))
  }

  /** Returns a promise to await if there is no permit left. */
  #acquire(): Promise<void> | undefined {
    if (this.#running < this.#permits) {
      this.#running++
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Hands the permit to the next task. */
  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#running--
    else next()
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
