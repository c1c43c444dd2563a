import type { TestNode } from '../fixture/nodeClient.js'
import { type Lease, goBack } from './lease.js'

/** What a test runner calls around tests. */
export interface RunnerHooks {
  beforeAll: (work: () => Promise<void>) => void
  afterAll: (work: () => Promise<void>) => void
  beforeEach: (work: () => Promise<void>) => void
  afterEach: (work: () => Promise<void>) => void
}

/**
 * Registers hooks that give a test file a node, and each of its tests the state that the file's own `beforeAll` left.
 *
 * @returns the node; it is there from the first hook on.
 */
export function useNodeWith(hooks: RunnerHooks, open: () => Promise<Lease>): () => TestNode {
  let lease: Lease | undefined
  let snapshot: string | undefined
  const node = (): TestNode => {
    if (lease === undefined) throw new Error('the node is there from beforeAll on, not before')
    return lease.node
  }
  hooks.beforeAll(async () => {
    lease = await open()
  })
  hooks.afterAll(async () => {
    await lease?.end()
    lease = undefined
  })
  hooks.beforeEach(async () => {
    snapshot = await node().snapshot()
  })
  hooks.afterEach(async () => {
    if (snapshot !== undefined) await goBack(node(), snapshot)
    snapshot = undefined
  })
  return node
}
