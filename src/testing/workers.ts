import type { NodeAddress } from '../fixture/nodeClient.js'
import { type NodeProcess, startNodeProcess } from '../fixture/nodeProcess.js'
import type { NodeOptions } from '../options.js'

/** Environment variable that tells workers their nodes' addresses. */
const variable = 'STANDIN_WORKER_NODES'

/** One node per worker of a test runner. */
export interface WorkerNodes {
  addresses: NodeAddress[]
  stop(): Promise<void>
}

/** Starts one node process per worker, and passes their addresses to the workers in the environment. */
export async function startWorkerNodes(workers: number, options: NodeOptions): Promise<WorkerNodes> {
  const starts = await Promise.allSettled(Array.from({ length: workers }, () => startNodeProcess(options)))
  const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  const stop = async (): Promise<void> => {
    delete process.env[variable]
    await Promise.all(started.map((node: NodeProcess) => node.stop()))
  }
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  const addresses = started.map(({ address }) => address)
  process.env[variable] = JSON.stringify(addresses)
  return { addresses, stop }
}

/**
 * Returns the address of this worker's node; undefined if the adapter's set-up is not configured in the runner.
 *
 * @param worker - counted from 1
 */
export function addressOfWorker(worker: number): NodeAddress | undefined {
  const text = process.env[variable]
  if (text === undefined) return undefined
  const addresses = JSON.parse(text) as NodeAddress[]
  return addresses[(worker - 1) % addresses.length]
}
