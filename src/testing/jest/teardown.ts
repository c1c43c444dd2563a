import type {} from './setup.js'

/** jest's `globalTeardown`: stops the nodes of the workers. */
export default async function teardown(): Promise<void> {
  await globalThis.standinWorkerNodes?.stop()
}
