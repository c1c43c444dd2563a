import { type TestNode, createNodeClient } from '../fixture/nodeClient.js'
import { startNodeProcess } from '../fixture/nodeProcess.js'
import type { NodeOptions } from '../options.js'
import type { CassetteOptions } from './cassettes.js'
import { type Lease, leaseShared } from './lease.js'
import { type Runner, useNodeWith } from './useNode.js'
import { addressOfWorker } from './workers.js'

export type { CassetteOptions } from './cassettes.js'
export type { TestKey, TestNode } from '../fixture/nodeClient.js'

/**
 * Gives the tests of a file or `describe` a node through jest's hooks, and each test a fresh state.
 *
 * @param options - for a node of the file's own; defaults to the worker's node
 * @param recording - directory of cassettes: each test is recorded from the node's `upstream` the first time, and
 * replayed from then on; STANDIN_RECORD=1 records again
 * @returns the node, available from the first hook on
 * @example
 * const { useNode } = require('standin/jest')
 * const node = useNode()
 * test('a chain begins at block 0', async () => {
 *   expect(await node().request('eth_blockNumber')).toBe('0x0')
 * })
 */
export function useNode(options?: NodeOptions, recording?: CassetteOptions): () => TestNode {
  const { beforeAll, afterAll, beforeEach, afterEach, expect } = globalThis as typeof globalThis & JestGlobals
  const runner: Runner<undefined> = {
    beforeAll,
    afterAll,
    afterEach,
    // jest waits for a callback if a hook has a parameter.
    beforeEach: (work) => beforeEach(() => work(undefined)),
    fullName: () => expect.getState().currentTestName,
  }
  return useNodeWith(runner, () => openLease(options), recording)
}

interface JestGlobals extends Omit<Runner<undefined>, 'beforeEach' | 'fullName'> {
  beforeEach: (work: () => Promise<void>) => void
  expect: { getState(): { currentTestName: string } }
}

async function openLease(options?: NodeOptions): Promise<Lease> {
  const address = options === undefined ? addressOfWorker(Number(process.env['JEST_WORKER_ID'])) : undefined
  if (address !== undefined) return leaseShared(createNodeClient(address))
  const { node, stop } = await startNodeProcess(options)
  return { node, end: stop }
}
