import type { StoredBlock } from '../../chain/block/record.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import { CallTracer, type CallFrame } from '../../chain/tracing/callTracer.js'
import { combineTracers } from '../../chain/tracing/combine.js'
import type { Awaitable } from '../../chain/types.js'
import type { Call } from '../method.js'
import { parityFrames } from './parityTrace.js'

/** Whose frames are wanted. */
export interface FrameOrder {
  block: StoredBlock
  /** The index of the only transaction; all of the block if absent. */
  only?: number
  budget: TraceBudget
}

/**
 * Hands over the outermost frame of each transaction, one by one as they are traced; a block without transactions has
 * none.
 */
export async function eachFrame(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  { block, only, budget }: FrameOrder,
  take: (top: CallFrame, index: number) => Awaitable<void>,
): Promise<void> {
  if (block.transactions.length === 0) return
  let calls: CallTracer | undefined
  await backend.tracing.traceBlock({
    view,
    block,
    ...(only !== undefined && { only }),
    tracerFor: () => {
      calls = new CallTracer(parityFrames, budget)
      return combineTracers([budget.guard(), calls])
    },
    traced: (index) => (calls === undefined ? undefined : take(calls.result, index)),
  })
}
