/** Limits of the pause between two runs, in milliseconds. */
const minPause = 500
const maxPause = 5000

/** Maximum fraction of the node's time for the page's reads. */
const maxShareOfTime = 1 / 30

/** Tasks that run or pause, and share that fraction. */
let activeTasks = 0

/**
 * Runs a task on request, one run at a time with pauses in between, however frequent the requests. While the page is
 * hidden it does not run; requests from that time cause one run when the page is visible again.
 */
export class PacedTask {
  readonly #run: () => Promise<void>
  #isRunning = false
  #isRequested = false
  #isStopped = false

  /** @param run - must not throw */
  constructor(run: () => Promise<void>) {
    this.#run = run
    document.addEventListener('visibilitychange', this.#onVisible)
  }

  /** Runs the task now, or after the pause. */
  request(): void {
    this.#isRequested = true
    if (!this.#isRunning && !document.hidden) void this.#work()
  }

  /** Prevents further runs. */
  stop(): void {
    this.#isStopped = true
    document.removeEventListener('visibilitychange', this.#onVisible)
  }

  readonly #onVisible = (): void => {
    if (this.#isRequested) this.request()
  }

  async #work(): Promise<void> {
    this.#isRunning = true
    this.#isRequested = false
    activeTasks += 1
    const started = performance.now()
    await this.#run()
    const took = performance.now() - started
    const fairPause = took * (activeTasks / maxShareOfTime - 1)
    const pause = Math.min(maxPause, Math.max(minPause, fairPause))
    setTimeout(() => {
      activeTasks -= 1
      this.#isRunning = false
      if (this.#isRequested && !this.#isStopped) this.request()
    }, pause)
  }
}
