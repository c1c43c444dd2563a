import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'

/** Last time of the clock, below which no clock returns. */
let latest = 0

/**
 * Makes every slice (src/encoding/timeSlice.ts) expire immediately: work yields wherever it can, and how often
 * does not depend on the machine. vi.restoreAllMocks undoes this.
 */
export function endEverySlice(): void {
  latest = Math.max(latest, performance.now())
  vi.spyOn(performance, 'now').mockImplementation(() => (latest += 10))
}

/** Runs work and counts the event loop turns until it is done; calls `between` in each but the last. */
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
 * Runs work while every clock read advances the clock, by a millisecond unless specified, so that time slices are
 * used up equally on every machine.
 *
 * @param turned - called on every turn of the event loop
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
 * Counts the event loop turns during work that does not wait for anything outside the process, with a clock
 * that every read advances by a millisecond, or by the given time.
 */
export async function countTurnsByLooks(
  work: () => Promise<unknown>,
  millisecondsPerLook?: number,
): Promise<number> {
  let turns = 0
  await watchTurns(work, () => turns++, millisecondsPerLook)
  return turns
}

/** Maximum number of body pieces consumed in one event loop turn by work that never waits for one. */
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
