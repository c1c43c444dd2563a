import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until a condition holds; bounded only by the test's own timeout. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}
