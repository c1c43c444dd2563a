/** Lets one piece of asynchronous work through at a time, in the order of arrival. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` after all work that came before it, whether that succeeded or not. */
  pass<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }
}
