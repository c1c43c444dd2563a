/** Runs tasks one at a time, in the order in which they were given. A task that fails does not stop the next one. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve()
  #refuse: (() => Error) | undefined

  /** @throws what {@link close} was given, if it was called before the task's turn came */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    return this.runEvenClosed(() => {
      if (this.#refuse !== undefined) throw this.#refuse()
      return task()
    })
  }

  /** As {@link run}, for tasks that change nothing: they also run after {@link close}. */
  runEvenClosed<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }

  /**
   * Refuses all further tasks, those that wait included.
   *
   * @param refuse - makes the error of a refused task
   * @returns when the task that has begun is done
   */
  async close(refuse: () => Error): Promise<void> {
    this.#refuse = refuse
    await this.#last
  }
}

/** A mutex for each key: tasks of different keys do not wait for each other. */
export class KeyedMutex {
  readonly #mutexes = new Map<string, { mutex: Mutex; tasks: number }>()

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const entry = this.#mutexes.get(key) ?? { mutex: new Mutex(), tasks: 0 }
    this.#mutexes.set(key, entry)
    entry.tasks++
    try {
      return await entry.mutex.run(task)
    } finally {
      entry.tasks--
      if (entry.tasks === 0) this.#mutexes.delete(key)
    }
  }
}

/** A lock that many tasks share or one has alone; tasks are served in the order in which they came. */
export class ReadWriteLock {
  readonly #exclusive = new Mutex()
  readonly #sharing = new Set<Promise<unknown>>()
  #lastExclusive: Promise<unknown> = Promise.resolve()

  /** Runs a task beside others that share the lock. */
  share<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#lastExclusive.then(task)
    const settled: Promise<unknown> = result.then(
      () => this.#sharing.delete(settled),
      () => this.#sharing.delete(settled),
    )
    this.#sharing.add(settled)
    return result
  }

  /** Runs a task that has the lock alone. */
  exclusive<T>(task: () => Promise<T>): Promise<T> {
    const before = [...this.#sharing]
    const result = this.#exclusive.run(async () => {
      await Promise.all(before)
      return task()
    })
    this.#lastExclusive = result.catch(() => undefined)
    return result
  }
}
