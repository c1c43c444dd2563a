import type { NodeAddress } from '../fixture/nodeClient.js'
import { type NodeProcess, startNodeProcess } from '../fixture/nodeProcess.js'
import type { NodeOptions } from '../options.js'

/** The environment variable that tells workers of their nodes. */
const variable = 'STANDIN_WORKER_NODES'

/** Nodes for the workers of a test runner, one for each. */
export interface WorkerNodes {
  addresses: NodeAddress[]
  stop(): Promise<void>
}

/** Starts a node for each worker, as processes of their own, and tells the workers by the environment. */
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
 * The node of this worker; undefined where the set-up of the adapter is not in the runner's configuration.
 *
 * @param worker counted from 1.
 */
export function addressOfWorker(worker: number): NodeAddress | undefined {
  const text = process.env[variable]
  if (text === undefined) return undefined
  const addresses = JSON.parse(text) as NodeAddress[]
  return addresses[(worker - 1) % addresses.length]
}
