import { messageFromTransaction } from '../../../chain/vm/message.js'
import { decodeTransaction } from '../../../chain/mempool/decode.js'
import { recoverTransaction } from '../../../chain/mempool/transaction.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { callObject } from '../../params/callObject.js'
import { data } from '../../params/bytes.js'
import { traceTypes } from '../../params/traceConfig.js'
import { startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { executionRequest } from '../transactionRequest.js'
import { tracedState } from '../debug/traceBlock.js'
import { latestBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'

/** trace_rawTransaction: traces a signed transaction on the head in Parity's format, without sending it. */
export const rawTransaction = defineMethod(
  'trace_rawTransaction',
  [required('transaction', data), required('traceTypes', traceTypes)],
  async (call, raw, types) => {
    const { view, backend } = call
    const trace = startParityTrace(call, types, traceBudget(call))
    const rules = view.rulesAt(view.head().header)
    const {
      from,
      to,
      value,
      data: input,
      gasLimit,
      accessList,
    } = messageFromTransaction(recoverTransaction(decodeTransaction(raw), rules), undefined)
    await backend.tracing.traceCall({
      view,
      at: latestBlock,
      call: { from, ...(to !== undefined && { to }), value, data: input, gas: gasLimit, accessList },
      tracerFor: () => trace.tracer,
      keepsSteps: types.has('vmTrace'),
    })
    return writtenTrace(trace)
  },
)

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
