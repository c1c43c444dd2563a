import type { TestNode } from '../fixture/nodeClient.js'
import { type CassetteOptions, beginCassette } from './cassettes.js'
import { type Lease, revertTo } from './lease.js'

/** Hooks of a test runner, and the name of the test about to run. */
export interface Runner<Context> {
  beforeAll: (work: () => Promise<void>) => void
  afterAll: (work: () => Promise<void>) => void
  beforeEach: (work: (context: Context) => Promise<void>) => void
  afterEach: (work: () => Promise<void>) => void
  /** Returns the test's name with those of the enclosing suites. */
  fullName: (context: Context) => string
}

/**
 * Registers hooks that give a test file a node, and each of its tests the state that the file's own `beforeAll` left.
 *
 * @param recording - directory of cassettes: each test is recorded from the node's `upstream` the first time, and
 * replayed from then on; STANDIN_RECORD=1 records again
 * @returns the node, available from the first hook on
 */
export function useNodeWith<Context>(
  runner: Runner<Context>,
  open: () => Promise<Lease>,
  recording: CassetteOptions | undefined,
): () => TestNode {
  let lease: Lease | undefined
  let snapshot: string | undefined
  let endCassette: (() => Promise<void>) | undefined
  const node = (): TestNode => {
    if (lease === undefined) throw new Error('the node is available from beforeAll on, not earlier')
    return lease.node
  }
  runner.beforeAll(async () => {
    lease = await open()
  })
  runner.afterAll(async () => {
    await lease?.end()
    lease = undefined
  })
  runner.beforeEach(async (context) => {
    snapshot = await node().snapshot()
    if (recording !== undefined) {
      endCassette = await beginCassette(node(), recording, runner.fullName(context))
    }
  })
  runner.afterEach(async () => {
    await endCassette?.()
    endCassette = undefined
    if (snapshot !== undefined) await revertTo(node(), snapshot)
    snapshot = undefined
  })
  return node
}
