import { ServerError } from '../../errors.js'
import { written } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { traceCallConfig } from '../../params/traceConfig.js'
import { type Trace, emptyTraceContext, writeTrace } from '../../tracers/tracerKind.js'
import { executionRequest } from '../transactionRequest.js'
import { keepsSteps, startTraceWithinBudget, withinBudget } from '../traces.js'
import { latestBlock, noBlock, noBlockOfNumber } from '../findBlock.js'
import { isMissingInAnvil, tracedBlock, tracedState } from './traceBlock.js'

/** debug_traceCall: traces a message on a block's state, or in place of one of its transactions. */
export const traceCall = defineMethod(
  'debug_traceCall',
  [
    required('transaction', callObject),
    optional('block', blockSelector),
    optional('config', traceCallConfig),
  ],
  async (call, transaction, selector = latestBlock, given = {}) => {
    const { stateOverrides, blockOverrides, txIndex, ...config } = given
    if (isMissingInAnvil(call, selector)) return noBlockOfNumber(call, selector) ?? noBlock(call)
    const { traceForm } = call.backend.settings.compatibility
    const at = traceForm === 'geth' ? tracedState(call.view, selector) : selector
    const request = executionRequest(call, { transaction, block: selector, stateOverrides, blockOverrides })
    let trace: Trace | undefined
    await withinBudget(call, config, (budget) =>
      call.backend.tracing.traceCall({
        ...request,
        view: call.view,
        at,
        within:
          txIndex === undefined
            ? undefined
            : { block: tracedBlock(call.view, selector), transactionIndex: txIndex },
        tracerFor: () => {
          trace = startTraceWithinBudget(call, config, budget, emptyTraceContext)
          return trace.tracer
        },
        keepsSteps: keepsSteps(config),
      }),
    )
    const made = trace
    if (made === undefined) throw new ServerError('nothing was traced')
    return written((writer) => writeTrace(made, emptyTraceContext, writer))
  },
)
