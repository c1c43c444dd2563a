import { startWorkerNodes, type WorkerNodes } from '../workers.js'

/** Where the teardown finds the started nodes: jest runs both in one process, but loads them separately. */
declare global {
  var standinWorkerNodes: WorkerNodes | undefined
}

/** jest's `globalSetup`: starts one node per worker, with options from the environment. */
export default async function setup({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  globalThis.standinWorkerNodes = await startWorkerNodes(maxWorkers, {})
}
