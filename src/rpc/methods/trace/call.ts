import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { traceTypes } from '../../params/traceConfig.js'
import { startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { tracedState } from '../debug/traceBlock.js'
import { latestBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'
import { executionRequest } from '../transactionRequest.js'

/** trace_call: traces a message on a block's state in Parity's format. */
export const call = defineMethod(
  'trace_call',
  [required('transaction', callObject), required('traceTypes', traceTypes), optional('block', blockSelector)],
  async (context, transaction, types, selector = latestBlock) => {
    const trace = startParityTrace(context, types, traceBudget(context))
    const request = executionRequest(context, { transaction, block: selector, stateOverrides: undefined })
    await context.backend.tracing.traceCall({
      ...request,
      view: context.view,
      at: tracedState(context.view, selector),
      tracerFor: () => trace.tracer,
      keepsSteps: types.has('vmTrace'),
    })
    return writtenTrace(trace)
  },
)
