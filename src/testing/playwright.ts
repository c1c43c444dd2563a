import {
  type PlaywrightTestArgs,
  type PlaywrightTestOptions,
  type PlaywrightWorkerArgs,
  type PlaywrightWorkerOptions,
  type TestType,
  test as baseTest,
} from '@playwright/test'
import type { TestKey, TestNode } from '../fixture/nodeClient.js'
import type { NodeOptions } from '../options.js'
import { createNode } from '../index.js'
import { beginCassette } from './cassettes.js'
import { withSnapshot } from './lease.js'

export type { TestKey, TestNode } from '../fixture/nodeClient.js'
export { expect } from '@playwright/test'

/** Fixtures of each test. */
export interface NodeFixtures {
  /** This worker's node; each test's changes to the chain are undone at its end. */
  node: TestNode
  /** A key for this test alone. */
  apiKey: TestKey
  /**
   * Directory of cassettes, set with `use: { cassettes: … }`. A test that takes `node` is recorded from its `upstream`
   * the first time, and replayed from then on; STANDIN_RECORD=1 records again.
   */
  cassettes: string | undefined
}

/** Fixtures of each worker. */
export interface NodeWorkerFixtures {
  /** Options of the workers' nodes; set them with `use: { nodeOptions: … }`. */
  nodeOptions: NodeOptions
  /** The node of this worker, in its process. */
  workerNode: TestNode
}

/**
 * Playwright's `test` with one node per worker and a fresh state for each test.
 *
 * @example
 * import { expect, test } from 'standin/playwright'
 * test('the page shows the head', async ({ page, node }) => {
 *   await page.goto(`/?rpc=${encodeURIComponent(node.url)}`)
 * })
 */
export const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & NodeFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & NodeWorkerFixtures
> = baseTest.extend<NodeFixtures, NodeWorkerFixtures>({
  nodeOptions: [{}, { scope: 'worker', option: true }],
  workerNode: [
    async ({ nodeOptions }, use) => {
      const node = await createNode(nodeOptions)
      await use(node)
      await node.stop()
    },
    { scope: 'worker' },
  ],
  cassettes: [undefined, { option: true }],
  node: ({ workerNode, cassettes }, use, { titlePath }) =>
    withSnapshot(workerNode, async () => {
      const end = cassettes && (await beginCassette(workerNode, { cassettes }, titlePath.join(' ')))
      await use(workerNode)
      if (end) await end()
    }),
  apiKey: async ({ workerNode }, use) => {
    const key = await workerNode.createKey()
    await use(key)
    await key.remove()
  },
})
