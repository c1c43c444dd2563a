/** Lets one piece of asynchronous work through at a time, in the order of arrival. */
export class Turnstile {
  #last: Promise<unknown> = Promise.resolve()
  #refuse: (() => Error) | undefined

  /**
   * Runs `work` after all work that came before it, whether that succeeded or not.
   *
   * @throws what {@link close} was given, if it was called before the turn has come
   */
  pass<T>(work: () => T | Promise<T>): Promise<T> {
    return this.passReading(() => {
      if (this.#refuse !== undefined) throw this.#refuse()
      return work()
    })
  }

  /** As {@link pass} for work that changes nothing: that is let through after {@link close} too. */
  passReading<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => undefined)
    return result
  }

  /**
   * Lets nothing through any more, also not what waits already.
   *
   * @param refuse - makes the error of what comes too late
   * @returns when the work that has begun is done
   */
  async close(refuse: () => Error): Promise<void> {
    this.#refuse = refuse
    await this.#last
  }
}
