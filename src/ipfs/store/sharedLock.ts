/** A lock that many may share, or one may have alone; those who ask are served in order. */
export interface SharedLock {
  share<T>(task: () => Promise<T>): Promise<T>
  alone<T>(task: () => Promise<T>): Promise<T>
}

/** A new lock, free. */
export function createSharedLock(): SharedLock {
  let lastAlone: Promise<unknown> = Promise.resolve()
  const sharing = new Set<Promise<unknown>>()

  return {
    share(task) {
      const result = lastAlone.then(task)
      const settled: Promise<unknown> = result.then(
        () => sharing.delete(settled),
        () => sharing.delete(settled),
      )
      sharing.add(settled)
      return result
    },
    alone(task) {
      const result = Promise.all([lastAlone, ...sharing]).then(task)
      lastAlone = result.catch(() => undefined)
      return result
    },
  }
}
