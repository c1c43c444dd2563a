/** Runs tasks one after the other, in the order they were given; a failed task does not stop the next. */
export type Mutex = <T>(task: () => Promise<T>) => Promise<T>

/** A new mutex, free. */
export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => undefined)
    return result
  }
}
