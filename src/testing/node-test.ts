import { after, afterEach, before, beforeEach } from 'node:test'
import type { TestNode } from '../fixture/nodeClient.js'
import { type CreateNodeOptions, createNode } from '../index.js'
import { useNodeWith } from './useNode.js'

export type { TestKey, TestNode } from '../fixture/nodeClient.js'

/**
 * Gives the tests of a file, or of a `describe`, a node in this process, and each test a fresh state.
 *
 * @returns the node; it is there from the first hook on.
 * @example
 * const node = useNode()
 * test('a chain begins at block 0', async () => {
 *   assert.equal(await node().request('eth_blockNumber'), '0x0')
 * })
 */
export function useNode(options: CreateNodeOptions = {}): () => TestNode {
  return useNodeWith({ beforeAll: before, afterAll: after, beforeEach, afterEach }, async () => {
    const node = await createNode(options)
    return { node, end: node.stop }
  })
}
