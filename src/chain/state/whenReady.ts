import type { Awaitable } from '../types.js'

/** What follows from a value, at once if the value is at hand. */
export function whenReady<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}

/** What `work` gives, or what `instead` makes of its failure, at once if nothing is awaited. */
export function orElse<T>(work: () => Awaitable<T>, instead: (error: unknown) => T): Awaitable<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(instead) : value
  } catch (error) {
    return instead(error)
  }
}
