import { readFiles, syncDisks } from './hostMemory.mjs'
import { latency, settle } from './statistics.mjs'

/** A node that takes a fraction of a millisecond for work has done it some hundred times then. */
const MEASURED_MILLISECONDS = 500

/** Leaves a node idle, as it is on a machine of its own. */
export async function settleNode({ folder }, work, { input }) {
  syncDisks()
  readFiles(folder)
  await settle(work, { input })
}

/** What a settled node takes for work, each time with an input of its own. */
export async function settledLatency(running, work, { count, input }) {
  await settleNode(running, work, { input })
  return latency(work, { count, milliseconds: MEASURED_MILLISECONDS, input })
}
