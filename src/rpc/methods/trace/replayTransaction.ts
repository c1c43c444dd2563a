import { TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { TransactionNotFoundError } from '../../errors.js'
import { ListWriter, PieceWriter, jsonBytes } from '../../format/pieces.js'
import { defineMethod, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { traceTypes } from '../../params/traceConfig.js'
import { type ParityTrace, startParityTrace, writtenTrace } from '../../parity/parityTrace.js'
import { WireBytes } from '../../wire.js'
import { isMissingInAnvil, tracedBlock } from '../debug/traceBlock.js'
import { isPendingInAnvil } from '../findBlock.js'
import { traceBudget } from '../traces.js'

/** trace_replayBlockTransactions: traces a block's transactions in Parity's format, with state changes. */
export const replayBlockTransactions = defineMethod(
  'trace_replayBlockTransactions',
  [required('block', blockSelector), required('traceTypes', traceTypes)],
  async (call, selector, types) => {
    if (isPendingInAnvil(call, selector) || isMissingInAnvil(call, selector)) return []
    const block = tracedBlock(call.view, selector)
    if (block.transactions.length === 0) return []
    const budget = traceBudget(call)
    const writer = new PieceWriter()
    const list = new ListWriter(writer)
    const slice = new TimeSlice()
    let trace: ParityTrace | undefined
    await call.backend.tracing.traceBlock({
      view: call.view,
      requester: call.context,
      block,
      tracerFor: () => {
        trace = startParityTrace(call, types, budget)
        return trace.tracer
      },
      traced: async (index) => {
        list.append('{')
        if (trace !== undefined) await runInSlices(trace.write(writer), slice)
        const hash = block.transactions[index]?.hash ?? new Uint8Array(32)
        writer.append(`,"transactionHash":${jsonBytes(hash)}}`)
      },
      keepsSteps: types.has('vmTrace'),
    })
    list.end()
    return new WireBytes(writer.pieces())
  },
)

/** trace_replayTransaction: traces a mined transaction in Parity's format, with state changes. */
export const replayTransaction = defineMethod(
  'trace_replayTransaction',
  [required('transactionHash', hash), required('traceTypes', traceTypes)],
  async (call, transactionHash, types) => {
    const location = call.view.transactionLocation(transactionHash)
    if (location === undefined) throw new TransactionNotFoundError(transactionHash)
    const trace = startParityTrace(call, types, traceBudget(call))
    await call.backend.tracing.traceBlock({
      view: call.view,
      requester: call.context,
      block: location.block,
      transactionIndex: location.index,
      tracerFor: () => trace.tracer,
      traced: () => undefined,
      keepsSteps: types.has('vmTrace'),
    })
    return writtenTrace(trace)
  },
)
