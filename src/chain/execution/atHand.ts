import type { Awaitable } from '../types.js'

/** Thrown in the middle of an opcode whose state must be asked for: the opcode is run again when that has arrived. */
export class StateOnItsWay extends Error {
  override readonly name = 'StateOnItsWay'
  readonly arrival: Promise<unknown>

  constructor(arrival: Promise<unknown>) {
    super('the state is not at hand')
    this.arrival = arrival
  }
}

/**
 * A value that the state has ready, as it always has but on a fork of a remote chain.
 *
 * @throws StateOnItsWay if it must be waited for. What runs an opcode asks before it changes anything.
 */
export function atHand<T>(value: Awaitable<T>): T {
  if (value instanceof Promise) throw new StateOnItsWay(value)
  return value
}

/** Runs what asks for state by {@link atHand} before it changes anything, again and again until all of it is there. */
export function onceAtHand<T>(work: () => T): Awaitable<T> {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StateOnItsWay)) throw error
    return error.arrival.then(() => onceAtHand(work))
  }
}
