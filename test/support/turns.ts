import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'

/** Latest reading of any mocked clock; later ones start from here, so that time never goes backwards. */
let latest = 0

/**
 * Makes every time slice (src/encoding/timeSlice.ts) count as used up: work yields wherever it can, equally often on
 * every machine. Undone by vi.restoreAllMocks.
 */
export function endEverySlice(): void {
  latest = Math.max(latest, performance.now())
  vi.spyOn(performance, 'now').mockImplementation(() => (latest += 10))
}

/** Counts the event loop turns until work is done; calls `between` in every turn but the last. */
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
 * Does work under a clock that every reading advances, by default by a millisecond, so that time slices end alike on
 * every machine.
 *
 * @param turned - called in every turn of the event loop
 */
async function watchTurns(
  work: () => Promise<unknown>,
  turned: () => void,
  millisecondsPerRead = 1,
): Promise<void> {
  latest = Math.max(latest, performance.now())
  let isWorking = true
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (latest += millisecondsPerRead))
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
 * Counts the event loop turns during work that waits for nothing outside the process, under a clock that every
 * reading advances, by default by a millisecond.
 */
export async function countTurnsByClockReads(
  work: () => Promise<unknown>,
  millisecondsPerRead?: number,
): Promise<number> {
  let turns = 0
  await watchTurns(work, () => turns++, millisecondsPerRead)
  return turns
}

/** Returns the most pieces of a body that work takes in one event loop turn, when every piece is ready at once. */
export async function maxPerTurn(
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
