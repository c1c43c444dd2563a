import { TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { ListWriter, PieceWriter } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { type CallArguments, callObject } from '../../params/callObject.js'
import { type Decoder, list, mapped, pair } from '../../params/combinators.js'
import { type TraceType, traceTypes } from '../../params/traceConfig.js'
import { type ParityTrace, startParityTrace, writeParityTrace } from '../../parity/parityTrace.js'
import { tracedState } from '../debug/traceBlock.js'
import { WireBytes } from '../../wire.js'
import { latestBlock } from '../findBlock.js'
import { traceBudget } from '../traces.js'
import { executionRequest } from '../transactionRequest.js'

/** A call and the trace parts to return. */
export interface TracedCallArguments {
  transaction: CallArguments
  types: ReadonlySet<TraceType>
}

/** A pair of call object and trace types. */
export const tracedCall: Decoder<TracedCallArguments> = mapped(
  pair([callObject, traceTypes], {
    title: 'call and trace types',
    expected: 'a call object and an array of trace types',
  }),
  ([transaction, types]) => ({ transaction, types }),
)

/** trace_callMany: traces messages in Parity's format, each on the state left by those before it. */
export const callMany = defineMethod(
  'trace_callMany',
  [required('calls', list(tracedCall, '[]TraceCall')), optional('block', blockSelector)],
  async (context, given, selector = latestBlock) => {
    const budget = traceBudget(context)
    const writer = new PieceWriter()
    const list = new ListWriter(writer)
    const slice = new TimeSlice()
    let trace: ParityTrace | undefined
    await context.backend.tracing.traceCalls({
      view: context.view,
      at: tracedState(context.view, selector),
      count: given.length,
      callAt: (index) => {
        const { transaction, types } = given[index]!
        const request = executionRequest(context, { transaction, block: selector, stateOverrides: undefined })
        trace = startParityTrace(context, types, budget)
        return { ...request, tracer: trace.tracer }
      },
      traced: async () => {
        list.append('')
        if (trace !== undefined) await runInSlices(writeParityTrace(trace, writer), slice)
      },
    })
    list.end()
    return new WireBytes(writer.pieces())
  },
)
