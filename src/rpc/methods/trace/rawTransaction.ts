import { decodeTransaction } from '../../../chain/mempool/decode.js'
import { recoverTransaction } from '../../../chain/mempool/transaction.js'
import { checkReadable } from '../../../chain/mempool/validation.js'
import { messageFromTransaction } from '../../../chain/vm/message.js'
import { defineMethod, required } from '../../method.js'
import { data } from '../../params/bytes.js'
import { traceTypes } from '../../params/traceConfig.js'
import { startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { latestBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'

/** trace_rawTransaction: traces a signed transaction on the head in Parity's format, without sending it. */
export const rawTransaction = defineMethod(
  'trace_rawTransaction',
  [required('transaction', data), required('traceTypes', traceTypes)],
  async (call, raw, types) => {
    const { view, backend, context } = call
    const trace = startParityTrace(call, types, traceBudget(call))
    const rules = view.rulesAt(view.head().header)
    checkReadable(raw, rules)
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
      requester: context,
    })
    return writtenTrace(trace)
  },
)
