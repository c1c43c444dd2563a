import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until a condition holds. The test's own time limit ends the wait. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}
