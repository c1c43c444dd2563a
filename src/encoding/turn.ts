// Not the global one: tests that take the timers of their process away want answers all the same.
import { setImmediate } from 'node:timers'

/** What is to be done when all that came in this turn of the event loop is taken. */
let putOff: (() => void)[] = []

function doWhatWaits(): void {
  const works = putOff
  putOff = []
  for (const work of works) work()
}

/** Puts work off until all that came in this turn of the event loop is taken, and no longer. It must not throw. */
export function atEndOfTurn(work: () => void): void {
  if (putOff.push(work) === 1) setImmediate(doWhatWaits)
}

/**
 * Lets other work have a turn of the event loop. What was put off to the end of the turn is done before the work that
 * waits here goes on: that may take some milliseconds.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      doWhatWaits()
      resolve()
    })
  })
}
