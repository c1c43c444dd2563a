import type { Awaitable } from '../types.js'

/** What follows from a value, at once if the value is at hand. */
export function whenReady<T, R>(value: Awaitable<T>, use: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(use) : use(value)
}
