import type { TestProject } from 'vitest/node'
import type { NodeOptions } from '../../options.js'
import { startWorkerNodes } from '../workers.js'

/** What vitest calls before all tests; it returns what is called after them. */
export type GlobalSetup = (project: TestProject) => Promise<() => Promise<void>>

/**
 * A global set-up that starts a node for each worker.
 *
 * @param options of every node.
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

/** A global set-up with the options of the environment: `globalSetup: ['standin/vitest/setup']`. */
export default createSetup()
