import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { traceTypes } from '../../params/traceTypes.js'
import { startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { executionRequest } from '../executionRequest.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceBudget } from '../traces.js'

/** trace_call: what a message would do on a block's state, in Parity's form. */
export const call = defineMethod(
  'trace_call',
  [required('transaction', callObject), required('traceTypes', traceTypes), optional('block', blockSelector)],
  async (context, transaction, types, selector = { tag: 'latest' }) => {
    const trace = startParityTrace(types, traceBudget(context, {}))
    const request = executionRequest(context, { transaction, block: selector, stateOverrides: undefined })
    await context.backend.tracing.traceCall({
      view: context.view,
      block: tracedBlock(context.view, selector),
      isLatest: 'tag' in selector && selector.tag === 'latest',
      call: request.call,
      tracer: trace.tracer,
      keepsSteps: types.has('vmTrace'),
    })
    return writtenTrace(trace)
  },
)
