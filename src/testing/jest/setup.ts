import { startWorkerNodes, type WorkerNodes } from '../workers.js'

/** Where the teardown finds what the set-up started: jest runs both in one process, and loads them separately. */
declare global {
  var standinWorkerNodes: WorkerNodes | undefined
}

/** jest's `globalSetup`: starts a node for each worker, with the options of the environment. */
export default async function setup({ maxWorkers }: { maxWorkers: number }): Promise<void> {
  globalThis.standinWorkerNodes = await startWorkerNodes(maxWorkers, {})
}
