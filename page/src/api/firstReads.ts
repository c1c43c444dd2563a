/** Reads started before the first view is drawn, by name. */
const begun = new Map<string, Promise<unknown>>()

/** Starts a read of the first view, so that the node answers while the view is drawn. */
export function beginRead(name: string, read: () => Promise<unknown>): void {
  const reading = read()
  // The view that takes the read handles its failure.
  reading.catch(() => undefined)
  begun.set(name, reading)
}

/** Returns the started read of this name to the first caller; later callers start their own. */
export function takeRead<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
  const reading = begun.get(name) as Promise<Value> | undefined
  begun.delete(name)
  return reading ?? read()
}

/** Waits until all started reads have settled, but at most the given number of milliseconds. */
export async function waitForReads(milliseconds: number): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
  await Promise.race([timeout, Promise.allSettled(begun.values())])
}

/** Drops reads that the first view did not take, because they would be stale later. */
export function endFirstReads(): void {
  begun.clear()
}
