import type { FaultHit } from './faultBook.js'

/** What faults do to an answer on its way through the socket. */
export interface TransportEffects {
  /** Sends the body at this rate. */
  bytesPerSecond?: number
  /** Closes the connection after so many bytes of the body. */
  cutAfter?: number
  /** Closes the connection instead of answering. */
  close?: boolean
}

/** The effects of faults on one answer; undefined if they have none. */
export function effectsOf(hits: readonly FaultHit[]): TransportEffects | undefined {
  let effects: TransportEffects | undefined
  for (const { action } of hits) {
    if (action.type === 'throttle') effects = { ...effects, bytesPerSecond: action.bytesPerSecond }
    else if (action.type === 'cut') effects = { ...effects, cutAfter: action.bytes }
    else if (action.type === 'close') effects = { ...effects, close: true }
  }
  return effects
}

/** Milliseconds that faults hold an answer back; Infinity if it never comes. */
export function delayOf(hits: readonly FaultHit[]): number {
  let total = 0
  for (const { action, draw } of hits) {
    if (action.type === 'hang') return Infinity
    if (action.type !== 'delay') continue
    const { milliseconds } = action
    total +=
      typeof milliseconds === 'number'
        ? milliseconds
        : milliseconds.minimum + draw() * (milliseconds.maximum - milliseconds.minimum)
  }
  return total
}

/** Waits as long as faults want; for ever if the answer never comes. */
export function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds !== Infinity) setTimeout(resolve, milliseconds)
  })
}
