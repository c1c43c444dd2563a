import type { TestProject } from 'vitest/node'
import type { NodeOptions } from '../../options.js'
import { startWorkerNodes } from '../workers.js'

/** Called by vitest before all tests; returns the function to call after them. */
export type GlobalSetup = (project: TestProject) => Promise<() => Promise<void>>

/**
 * Creates a global set-up that starts one node per worker.
 *
 * @param options - of every node
 * @example
 * // standin.setup.ts, named by `globalSetup` in vitest.config.ts
 * export default createSetup({ hardfork: 'cancun' })
 */
export function createSetup(options: NodeOptions = {}): GlobalSetup {
  return async ({ vitest }) => {
    const { stop } = await startWorkerNodes(vitest.config.maxWorkers, options)
    return stop
  }
}

/** Global set-up with options from the environment: `globalSetup: ['standin/vitest/setup']`. */
export default createSetup()
