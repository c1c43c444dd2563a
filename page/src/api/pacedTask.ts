/** Milliseconds between two runs. */
const shortestRest = 500
const longestRest = 5000

/** Reading takes this part of the node's time at most, whatever is shown. */
const mostOfTime = 1 / 30

/** Tasks that run or rest: they share that part. */
let activeTasks = 0

/**
 * Runs something whenever it is asked to, one run at a time and with rests between them, however often it is asked. While
 * the page is hidden nothing runs; what was asked for meanwhile runs once when it is seen again.
 */
export class PacedTask {
  readonly #run: () => Promise<void>
  #isRunning = false
  #isAsked = false
  #isOver = false

  /** @param run - must not throw */
  constructor(run: () => Promise<void>) {
    this.#run = run
    document.addEventListener('visibilitychange', this.#onVisible)
  }

  /** Runs now, or when the rest is over. */
  ask(): void {
    this.#isAsked = true
    if (!this.#isRunning && !document.hidden) void this.#work()
  }

  /** Runs no more. */
  stop(): void {
    this.#isOver = true
    document.removeEventListener('visibilitychange', this.#onVisible)
  }

  readonly #onVisible = (): void => {
    if (this.#isAsked) this.ask()
  }

  async #work(): Promise<void> {
    this.#isRunning = true
    this.#isAsked = false
    activeTasks += 1
    const started = performance.now()
    await this.#run()
    const took = performance.now() - started
    const fairRest = took * (activeTasks / mostOfTime - 1)
    const rest = Math.min(longestRest, Math.max(shortestRest, fairRest))
    setTimeout(() => {
      activeTasks -= 1
      this.#isRunning = false
      if (this.#isAsked && !this.#isOver) this.ask()
    }, rest)
  }
}
