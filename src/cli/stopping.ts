/** How often the parent process is looked for. */
const parentInterval = 250

/** Longest time that a stop may take before the process ends without it. */
const patience = 1800

/**
 * Resolves at the first signal to stop, or when the parent process is gone.
 *
 * A second signal ends the process at once, and so does a stop that takes too long: what was acknowledged is on the
 * disk already.
 */
export function untilToldToStop({ parentPid }: { parentPid: number | undefined }): Promise<void> {
  return new Promise((resolve) => {
    let told = false
    const stop = (): void => {
      if (told) process.exit(0)
      told = true
      setTimeout(() => process.exit(0), patience).unref()
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
    // A reader of the output that goes away is no reason to fail.
    process.stdout.on('error', () => undefined)
    if (parentPid === undefined) return
    const watch = setInterval(() => {
      if (isAlive(parentPid)) return
      clearInterval(watch)
      stop()
    }, parentInterval)
    watch.unref()
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of somebody else is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
