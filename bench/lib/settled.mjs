import { readFiles, syncDisks } from './hostMemory.mjs'
import { latency, settle } from './statistics.mjs'

/** Minimum duration of a measurement: several hundred repetitions of work below a millisecond. */
const MEASURED_MILLISECONDS = 500

/** Flushes disks, reads the node's files and warms it up, for conditions as on a dedicated machine. */
export async function settleNode({ directory }, work, { input }) {
  syncDisks()
  readFiles(directory)
  await settle(work, { input })
}

/** Measures the latency of work on a settled node, with a new input each time. */
export async function settledLatency(running, work, { count, input }) {
  await settleNode(running, work, { input })
  return latency(work, { count, milliseconds: MEASURED_MILLISECONDS, input })
}
