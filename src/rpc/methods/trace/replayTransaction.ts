import { ServerError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'
import { traceTypes } from '../../params/traceTypes.js'
import { startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { traceBudget } from '../traces.js'

/** trace_replayTransaction: what a mined transaction did, in Parity's form, with what it changed. */
export const replayTransaction = defineMethod(
  'trace_replayTransaction',
  [required('transactionHash', hash), required('traceTypes', traceTypes)],
  async (call, transactionHash, types) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) throw new ServerError('transaction not found')
    const trace = startParityTrace(types, traceBudget(call, {}))
    await call.backend.tracing.traceBlock({
      view: call.view,
      block: location.block,
      only: location.index,
      tracerFor: () => trace.tracer,
      traced: () => undefined,
      keepsSteps: types.has('vmTrace'),
    })
    return writtenTrace(trace)
  },
)
