import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'

/**
 * Lets no time be left in any slice (src/encoding/timeSlice.ts) from now on: work gives way wherever it can, and how often
 * does not depend on the machine. vi.restoreAllMocks ends that.
 */
export function endEverySlice(): void {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
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
