import { messageFromTransaction } from '../../../chain/execution/transactionMessage.js'
import { decodeTransaction } from '../../../chain/mempool/decode.js'
import { recoverTransaction } from '../../../chain/mempool/sender.js'
import { defineMethod, required } from '../../method.js'
import { data } from '../../params/data.js'
import { traceTypes } from '../../params/traceTypes.js'
import { startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { traceBudget } from '../traces.js'

/** trace_rawTransaction: what a signed transaction would do now, in Parity's form; it is not sent. */
export const rawTransaction = defineMethod(
  'trace_rawTransaction',
  [required('transaction', data), required('traceTypes', traceTypes)],
  async (call, raw, types) => {
    const { view, backend } = call
    const trace = startParityTrace(types, traceBudget(call, {}))
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
      block: view.head(),
      isLatest: true,
      call: { from, ...(to !== undefined && { to }), value, data: input, gas: gasLimit, accessList },
      tracer: trace.tracer,
      keepsSteps: types.has('vmTrace'),
    })
    return writtenTrace(trace)
  },
)
