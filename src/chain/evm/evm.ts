import { ChainError } from '../errors.js'
import { orElse, whenReady } from '../state/whenReady.js'
import type { Awaitable, ForkRules } from '../types.js'
import type { ExecutionContext } from './executionContext.js'
import { PooledEvm } from './pooledEvm.js'

/** EVMs that are not lent now, by the rules that they follow. */
const idle = new WeakMap<ForkRules, PooledEvm[]>()

/**
 * Lends an EVM that works on a context, and takes it back clean.
 *
 * After an unexpected error it is not lent again. A ChainError ends what runs in the middle of it where a remote node
 * does not answer or a trace grows too large: then the transient storage is not what the end of a message leaves.
 */
export function withEvm<T>(context: ExecutionContext, use: (evm: PooledEvm) => Awaitable<T>): Awaitable<T> {
  let evms = idle.get(context.rules)
  if (evms === undefined) {
    evms = []
    idle.set(context.rules, evms)
  }
  const pool = evms
  return whenReady(pool.pop() ?? PooledEvm.create(context.rules), (evm) => lend(evm, pool, context, use))
}

function lend<T>(
  evm: PooledEvm,
  pool: PooledEvm[],
  context: ExecutionContext,
  use: (evm: PooledEvm) => Awaitable<T>,
): Awaitable<T> {
  evm.bind(context)
  const used = orElse(
    () => use(evm),
    (error) => {
      if (error instanceof ChainError) {
        evm.transientStorage.clear()
        takeBack(evm, pool)
      }
      throw error
    },
  )
  return whenReady(used, (result) => {
    takeBack(evm, pool)
    return result
  })
}

function takeBack(evm: PooledEvm, pool: PooledEvm[]): void {
  evm.release()
  pool.push(evm)
}

/** Does something to the state of an EVM and takes its changes back, at once if nothing is awaited. */
export function withRollback<T>({ state }: Pick<PooledEvm, 'state'>, work: () => Awaitable<T>): Awaitable<T> {
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
