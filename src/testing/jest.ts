import { type TestNode, createNodeClient } from '../fixture/nodeClient.js'
import { startNodeProcess } from '../fixture/nodeProcess.js'
import type { NodeOptions } from '../options.js'
import { type Lease, leaseShared } from './lease.js'
import { type RunnerHooks, useNodeWith } from './useNode.js'
import { addressOfWorker } from './workers.js'

export type { TestKey, TestNode } from '../fixture/nodeClient.js'

/**
 * Gives the tests of a file, or of a `describe`, a node by jest's hooks, and each test a fresh state.
 *
 * @param options for a node of the file's own; the worker's node unless given.
 * @returns the node; it is there from the first hook on.
 * @example
 * const { useNode } = require('standin/jest')
 * const node = useNode()
 * test('a chain begins at block 0', async () => {
 *   expect(await node().request('eth_blockNumber')).toBe('0x0')
 * })
 */
export function useNode(options?: NodeOptions): () => TestNode {
  return useNodeWith(globalThis as typeof globalThis & RunnerHooks, () => openLease(options))
}

async function openLease(options?: NodeOptions): Promise<Lease> {
  const address = options === undefined ? addressOfWorker(Number(process.env['JEST_WORKER_ID'])) : undefined
  if (address !== undefined) return leaseShared(createNodeClient(address))
  const { node, stop } = await startNodeProcess(options)
  return { node, end: stop }
}
