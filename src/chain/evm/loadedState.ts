import type { Awaitable } from '../types.js'

/** Thrown in the middle of an opcode whose state must be asked for: the opcode is run again when that has arrived. */
export class StateNotLoaded extends Error {
  override readonly name = 'StateNotLoaded'
  readonly arrival: Promise<unknown>

  constructor(arrival: Promise<unknown>) {
    super('the state is not loaded yet')
    this.arrival = arrival
  }
}

/**
 * A value of the state, which is always loaded except on a fork of a remote chain.
 *
 * @throws StateNotLoaded if it must be waited for. What runs an opcode asks before it changes anything.
 */
export function loaded<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new StateNotLoaded(value)
  return value
}

/** Runs work that reads state by {@link loaded} before it changes anything, again and again until all of it is loaded. */
export function retryUntilLoaded<T>(work: () => T): Awaitable<T> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StateNotLoaded)) throw error
    return error.arrival.then(() => retryUntilLoaded(work))
  }
}
