import { ChainError } from '../errors.js'
import type { ForkRules } from '../types.js'
import { PooledEvm, type ExecutionContext } from './pooledEvm.js'

/** EVMs that are not lent now, by the rules that they follow. */
const idle = new WeakMap<ForkRules, PooledEvm[]>()

/**
 * Lends an EVM that works on a context, and takes it back clean.
 *
 * After an unexpected error it is not lent again: an execution that broke off leaves checkpoints open. A ChainError is
 * thrown where nothing is open.
 */
export async function withEvm<T>(context: ExecutionContext, use: (evm: PooledEvm) => Promise<T>): Promise<T> {
  let evms = idle.get(context.rules)
  if (evms === undefined) {
    evms = []
    idle.set(context.rules, evms)
  }
  const evm = evms.pop() ?? (await PooledEvm.create(context.rules))
  evm.bind(context)
  try {
    const result = await use(evm)
    takeBack()
    return result
  } catch (error) {
    if (error instanceof ChainError) takeBack()
    throw error
  }

  function takeBack(): void {
    evm.release()
    evms?.push(evm)
  }
}
