import type {} from './setup.js'

/** jest's `globalTeardown`: stops the workers' nodes. */
export default async function teardown(): Promise<void> {
  await globalThis.standinWorkerNodes?.stop()
}
