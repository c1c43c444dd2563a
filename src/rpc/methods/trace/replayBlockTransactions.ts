import { jsonBytes } from '../../format/members.js'
import { defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { traceTypes } from '../../params/traceTypes.js'
import { startParityTrace, type ParityTrace } from '../../parity/parityTrace.js'
import { wireArray } from '../../wire.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceBudget } from '../traces.js'

/** trace_replayBlockTransactions: what the transactions of a block did, in Parity's form, with what they changed. */
export const replayBlockTransactions = defineMethod(
  'trace_replayBlockTransactions',
  [required('block', blockSelector), required('traceTypes', traceTypes)],
  async (call, selector, types) => {
    const block = tracedBlock(call.view, selector)
    const budget = traceBudget(call, {})
    const texts: string[] = []
    let trace: ParityTrace | undefined
    if (block.transactions.length === 0) return wireArray([])
    await call.backend.tracing.traceBlock({
      view: call.view,
      block,
      tracerFor: () => {
        trace = startParityTrace(types, budget)
        return trace.tracer
      },
      traced: (index) => {
        const hash = block.transactions[index]?.hash ?? new Uint8Array(32)
        texts.push(`{${trace?.members() ?? ''},"transactionHash":${jsonBytes(hash)}}`)
      },
      keepsSteps: types.has('vmTrace'),
    })
    return wireArray(texts)
  },
)
