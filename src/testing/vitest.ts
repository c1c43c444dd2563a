import { type TestAPI, afterAll, afterEach, beforeAll, beforeEach, test as baseTest } from 'vitest'
import { type TestKey, type TestNode, createNodeClient } from '../fixture/nodeClient.js'
import type { CreateNodeOptions } from '../index.js'
import { type Lease, leaseShared, withSnapshot } from './lease.js'
import type { CassetteOptions } from './cassettes.js'
import { type Runner, useNodeWith } from './useNode.js'
import { addressOfWorker } from './workers.js'

export type { TestKey, TestNode } from '../fixture/nodeClient.js'
export type { CassetteOptions } from './cassettes.js'
export { expect } from 'vitest'

/** Fixtures of {@link test}. */
export interface NodeFixtures {
  /** This worker's node; each test's changes to the chain are undone at its end. */
  node: TestNode
  /** A key for this test alone. */
  apiKey: TestKey
}

/**
 * vitest's `test` with one node per worker and a fresh state for each test.
 *
 * @example
 * import { expect, test } from 'standin/vitest'
 * test('a chain begins at block 0', async ({ node }) => {
 *   expect(await node.request('eth_blockNumber')).toBe('0x0')
 * })
 */
export const test: TestAPI<NodeFixtures> = baseTest.extend<NodeFixtures & { leasedNode: TestNode }>({
  leasedNode: [
    // eslint-disable-next-line no-empty-pattern -- vitest reads the fixtures that are wanted from the pattern
    async ({}, use) => {
      const lease = await openLease()
      await use(lease.node)
      await lease.end()
    },
    { scope: 'file' },
  ],
  node: ({ leasedNode }, use) => withSnapshot(leasedNode, () => use(leasedNode)),
  apiKey: async ({ leasedNode }, use) => {
    const key = await leasedNode.createKey()
    await use(key)
    await key.remove()
  },
})

/**
 * Gives the tests of a file or `describe` a node through hooks, for suites that keep vitest's own `test`.
 *
 * @param options - for an in-process node of the file's own; defaults to the worker's node
 * @param recording - directory of cassettes: each test is recorded from the node's `upstream` the first time, and
 * replayed from then on; STANDIN_RECORD=1 records again
 * @returns the node, available from the first hook on
 */
export function useNode(options?: CreateNodeOptions, recording?: CassetteOptions): () => TestNode {
  const runner: Runner<{ task: Named }> = {
    beforeAll,
    afterAll,
    beforeEach,
    afterEach,
    fullName: ({ task }) => fullNameOf(task),
  }
  return useNodeWith(runner, () => openLease(options), recording)
}

/** Test or suite as described by the runner. */
interface Named {
  readonly name: string
  readonly suite?: Named | undefined
}

/** Returns a test's name with those of the enclosing suites. */
function fullNameOf({ name, suite }: Named): string {
  return suite === undefined || suite.name === '' ? name : `${fullNameOf(suite)} ${name}`
}

async function openLease(options?: CreateNodeOptions): Promise<Lease> {
  const address = options === undefined ? addressOfWorker(Number(process.env['VITEST_POOL_ID'])) : undefined
  if (address !== undefined) return leaseShared(createNodeClient(address))
  const { createNode } = await import('../index.js')
  const node = await createNode(options)
  return { node, end: node.stop }
}
