import type { ExecutionRequest } from '../../../chain/calls/executor.js'
import { type Steps, TimeSlice } from '../../../encoding/timeSlice.js'
import { ListWriter, type PieceWriter, written } from '../../format/pieces.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { type CallArguments, callObject } from '../../params/callObject.js'
import { type Decoder, list, mapped, pair } from '../../params/combinators.js'
import { type TraceType, traceTypes } from '../../params/traceConfig.js'
import { type ParityTrace, startParityTrace, writeParityTrace } from '../../parity/parityTrace.js'
import { tracedState } from '../debug/traceBlock.js'
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
    const calls: { trace: ParityTrace; request: ExecutionRequest }[] = []
    const slice = new TimeSlice()
    for (const { transaction, types } of given) {
      const request = executionRequest(context, { transaction, block: selector, stateOverrides: undefined })
      calls.push({ trace: startParityTrace(context, types, budget), request })
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    await context.backend.tracing.traceCalls({
      view: context.view,
      at: tracedState(context.view, selector),
      calls: calls.map(({ request, trace: { tracer } }) => ({ ...request, tracer })),
    })
    const traces = calls.map(({ trace }) => trace)
    return written((writer) => writeTraces(traces, writer))
  },
)

function* writeTraces(traces: readonly ParityTrace[], writer: PieceWriter): Steps<void> {
  const list = new ListWriter(writer)
  for (const trace of traces) {
    list.append('')
    yield* writeParityTrace(trace, writer)
  }
  list.end()
}
