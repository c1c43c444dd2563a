import type { TestNode } from '../fixture/nodeClient.js'

/** A node that a test file has for itself for a while. */
export interface Lease {
  node: TestNode
  /** Gives it back. */
  end(): Promise<void>
}

/** Goes back to a snapshot, or to the genesis where a reset has taken the snapshot away. */
export async function goBack(node: TestNode, snapshot: string): Promise<void> {
  if (!(await node.revert(snapshot))) await node.reset()
}

/** Runs work with the chain as it is, and goes back to that when the work has ended, however it ends. */
export async function onFreshState<Result>(node: TestNode, work: () => Promise<Result>): Promise<Result> {
  const id = await node.snapshot()
  try {
    return await work()
  } finally {
    await goBack(node, id)
  }
}

/** A node that others use afterwards: what happens to its chain until the end of the lease is undone then. */
export async function leaseShared(node: TestNode): Promise<Lease> {
  const id = await node.snapshot()
  return {
    node,
    end: () => goBack(node, id),
  }
}
