import { combineTracers } from '../../../chain/tracing/combine.js'
import { noPlace } from '../../format/tracePlace.js'
import { written } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { traceCallConfig } from '../../params/traceConfig.js'
import { startTrace } from '../../tracers/startTrace.js'
import { writeTrace } from '../../tracers/tracerKind.js'
import { executionRequest } from '../transactionRequest.js'
import { tracedBlock } from './traceBlock.js'
import { keepsSteps, traceBudget } from '../traces.js'

/** debug_traceCall: what a message would do on a block's state, or in the place of one of its transactions. */
export const traceCall = defineMethod(
  'debug_traceCall',
  [
    required('transaction', callObject),
    required('block', blockSelector),
    optional('config', traceCallConfig),
  ],
  async (call, transaction, selector, given) => {
    const { stateOverrides, blockOverrides, txIndex, ...config } = given ?? {}
    const block = tracedBlock(call.view, selector)
    const budget = traceBudget(call, config)
    const trace = startTrace(config, budget, noPlace)
    const request = executionRequest(call, { transaction, block: selector, stateOverrides, blockOverrides })
    await call.backend.tracing.traceCall({
      view: call.view,
      block,
      isLatest: 'tag' in selector && selector.tag === 'latest',
      transactionIndex: txIndex,
      call: request.call,
      stateOverrides: request.stateOverrides,
      blockOverrides: request.blockOverrides,
      unsupportedOverride: request.unsupportedOverride,
      tracer: combineTracers([budget.guard(), trace.tracer]),
      keepsSteps: keepsSteps(config),
    })
    return written((writer) => writeTrace(trace, noPlace, writer))
  },
)
