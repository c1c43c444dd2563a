import type { StoredBlock } from '../../chain/block/record.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import { CallTracer, type CallFrame } from '../../chain/tracing/callTracer.js'
import { combineTracers } from '../../chain/tracing/combine.js'
import { flatCallText, flattenCalls, type FlatCall } from '../format/flatCalls.js'
import type { Call } from '../method.js'
import { placeOf } from '../methods/traces.js'
import { parityForm, parityFrames } from './parityTrace.js'

/** The outermost frames of a block's transactions, or of one of them; a block without transactions has none. */
export async function blockFrames(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  block: StoredBlock,
  budget: TraceBudget,
  only?: number,
): Promise<{ index: number; frame: CallFrame }[]> {
  const frames: { index: number; frame: CallFrame }[] = []
  if (block.transactions.length === 0) return frames
  let calls: CallTracer | undefined
  await backend.tracing.traceBlock({
    view,
    block,
    ...(only !== undefined && { only }),
    tracerFor: () => {
      calls = new CallTracer(parityFrames, budget)
      return combineTracers([budget.guard(), calls])
    },
    traced: (index) => {
      if (calls !== undefined) frames.push({ index, frame: calls.result })
    },
  })
  return frames
}

/** The frames of a block's transactions in Parity's form, one by one. */
export function* parityTexts(
  block: StoredBlock,
  frames: readonly { index: number; frame: CallFrame }[],
  keep: (flat: FlatCall) => boolean = () => true,
): Iterable<string> {
  for (const { index, frame } of frames) {
    for (const flat of flattenCalls(frame)) {
      if (keep(flat)) yield flatCallText(flat, placeOf(block, index), parityForm)
    }
  }
}
