import { type TestContext, after, afterEach, before, beforeEach } from 'node:test'
import type { TestNode } from '../fixture/nodeClient.js'
import { type CreateNodeOptions, createNode } from '../index.js'
import type { CassetteOptions } from './cassettes.js'
import type { Lease } from './lease.js'
import { type Runner, useNodeWith } from './useNode.js'

export type { CassetteOptions } from './cassettes.js'
export type { TestKey, TestNode } from '../fixture/nodeClient.js'

/**
 * Gives the tests of a file or `describe` a node in this process, and each test a fresh state.
 *
 * @param recording - directory of cassettes: each test is recorded from the node's `upstream` the first time, and
 * replayed from then on; STANDIN_RECORD=1 records again
 * @returns the node, available from the first hook on
 * @example
 * const node = useNode()
 * test('a chain begins at block 0', async () => {
 *   assert.equal(await node().request('eth_blockNumber'), '0x0')
 * })
 */
export function useNode(options: CreateNodeOptions = {}, recording?: CassetteOptions): () => TestNode {
  const runner: Runner<TestContext> = {
    beforeAll: before,
    afterAll: after,
    afterEach,
    beforeEach: (work) => beforeEach((context) => work(context as TestContext)),
    fullName: ({ fullName }) => fullName,
  }
  const open = async (): Promise<Lease> => {
    const node = await createNode(options)
    return { node, end: node.stop }
  }
  return useNodeWith(runner, open, recording)
}
