/**
 * Runs steps one after another, the later ones also where an earlier one fails: what a node has open is closed whatever
 * happens on the way.
 *
 * @throws what the first step that failed has thrown, once all have run
 */
export async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    await step().catch((failure: unknown) => {
      failures.push(failure)
    })
  }
  if (failures.length > 0) throw failures[0]
}
