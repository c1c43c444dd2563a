import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'

/** Where the last clock stood: none goes back behind it. */
let latest = 0

/**
 * Lets no time be left in any slice (src/encoding/timeSlice.ts) from now on: work gives way wherever it can, and how often
 * does not depend on the machine. vi.restoreAllMocks ends that.
 */
export function endEverySlice(): void {
  latest = Math.max(latest, performance.now())
  vi.spyOn(performance, 'now').mockImplementation(() => (latest += 10))
}

/** Does work and counts the turns of the event loop until it is done; `between` is done in each of them but the last. */
export async function countTurns(
  work: () => Promise<unknown>,
  between: () => unknown = () => undefined,
): Promise<number> {
  let [turns, isDone] = [0, false]
  const done = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    await nextTurn()
    turns++
    if (!isDone) await between()
  }
  await done
  return turns
}

/**
 * Does work while every look at the clock takes it on, by a millisecond unless told otherwise, so that slices of time are
 * used up alike on every machine.
 *
 * @param turned - called with every turn of the event loop
 */
async function watchTurns(
  work: () => Promise<unknown>,
  turned: () => void,
  millisecondsPerLook = 1,
): Promise<void> {
  latest = Math.max(latest, performance.now())
  let isWorking = true
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (latest += millisecondsPerLook))
  const turn = (): void => {
    turned()
    if (isWorking) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
  } finally {
    isWorking = false
    clock.mockRestore()
  }
}

/**
 * How often the event loop goes round during work that does not wait for anything outside of the process, with a clock
 * that every look takes on by a millisecond, or by what is given.
 */
export async function countTurnsByLooks(
  work: () => Promise<unknown>,
  millisecondsPerLook?: number,
): Promise<number> {
  let turns = 0
  await watchTurns(work, () => turns++, millisecondsPerLook)
  return turns
}

/** How many pieces of a body are taken in one turn of the event loop, at most, by work that never has to wait for one. */
export async function mostInOneTurn(
  pieces: readonly Uint8Array[],
  work: (body: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<number> {
  let taken = 0
  let most = 0
  async function* body(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      taken++
      most = Math.max(most, taken)
      yield piece
    }
  }
  await watchTurns(
    () => work(body()),
    () => (taken = 0),
  )
  return most
}
