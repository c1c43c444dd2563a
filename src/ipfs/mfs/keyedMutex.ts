/** Runs tasks of one key one after the other; those of different keys do not wait for each other. */
export type KeyedMutex = <T>(key: string, task: () => Promise<T>) => Promise<T>

/** A new one, with nothing to wait for. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const result = (last.get(key) ?? Promise.resolve()).then(task)
    const settled = result
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === settled) last.delete(key)
      })
    last.set(key, settled)
    return result
  }
}
