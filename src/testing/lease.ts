import type { TestNode } from '../fixture/nodeClient.js'

/** A node that a test file has to itself for a while. */
export interface Lease {
  node: TestNode
  /** Gives the node back. */
  end(): Promise<void>
}

/** Reverts to a snapshot, or to the genesis if a reset has discarded the snapshot. */
export async function revertTo(node: TestNode, snapshot: string): Promise<void> {
  if (!(await node.revert(snapshot))) await node.reset()
}

/** Runs work on the current chain, and reverts it when the work ends, however it ends. */
export async function withSnapshot<Result>(node: TestNode, work: () => Promise<Result>): Promise<Result> {
  const id = await node.snapshot()
  try {
    return await work()
  } finally {
    await revertTo(node, id)
  }
}

/** Leases a node that others use afterwards: the end of the lease undoes changes to its chain. */
export async function leaseShared(node: TestNode): Promise<Lease> {
  const id = await node.snapshot()
  return {
    node,
    end: () => revertTo(node, id),
  }
}
