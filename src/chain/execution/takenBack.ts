import type { Awaitable } from '../types.js'
import type { PooledEvm } from './pooledEvm.js'

/** Does something to the state of an EVM and takes its changes back, at once if nothing is awaited. */
export function takenBack<T>({ state }: Pick<PooledEvm, 'state'>, work: () => Awaitable<T>): Awaitable<T> {
  void state.checkpoint()
  let pending: Promise<T> | undefined
  try {
    const result = work()
    if (!(result instanceof Promise)) return result
    pending = result.finally(() => state.revert())
    return pending
  } finally {
    if (pending === undefined) void state.revert()
  }
}
