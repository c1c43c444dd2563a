/** Reads that have begun before the first view is drawn, by what they read. */
const begun = new Map<string, Promise<unknown>>()

/** Begins to read what the first view asks for, so that the node answers while the view is drawn. */
export function beginRead(name: string, read: () => Promise<unknown>): void {
  const reading = read()
  // A failure is handled by the view that takes the read.
  reading.catch(() => undefined)
  begun.set(name, reading)
}

/** The read that has begun under a name, for its first caller; later callers start one of their own. */
export function takeRead<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
  const reading = begun.get(name) as Promise<Value> | undefined
  begun.delete(name)
  return reading ?? read()
}

/** Waits until all that has begun is there, or failed, but no longer than so many milliseconds. */
export async function waitForReads(milliseconds: number): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
  await Promise.race([timeout, Promise.allSettled(begun.values())])
}

/** Forgets what the first view did not ask for: later it would be old. */
export function endFirstReads(): void {
  begun.clear()
}
