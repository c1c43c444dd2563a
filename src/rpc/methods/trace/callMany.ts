import type { CallObject } from '../../../chain/execution/callObject.js'
import { TimeSlice, type Steps } from '../../../encoding/timeSlice.js'
import { ListWriter } from '../../format/listWriter.js'
import type { PieceWriter } from '../../format/pieceWriter.js'
import { written } from '../../format/written.js'
import { defineMethod, optional, required } from '../../method.js'
import { blockSelector } from '../../params/blockSelector.js'
import { list } from '../../params/list.js'
import { tracedCall } from '../../params/tracedCall.js'
import { startParityTrace, writeTrace, type ParityTrace } from '../../parity/parityTrace.js'
import { executionRequest } from '../executionRequest.js'
import { tracedBlock } from '../tracedBlock.js'
import { traceBudget } from '../traces.js'

/** trace_callMany: what messages would do one after another, each on what those before it left, in Parity's form. */
export const callMany = defineMethod(
  'trace_callMany',
  [required('calls', list(tracedCall, '[]TraceCall')), optional('block', blockSelector)],
  async (context, given, selector = { tag: 'latest' }) => {
    const budget = traceBudget(context, {})
    const calls: { trace: ParityTrace; call: CallObject }[] = []
    const slice = new TimeSlice()
    for (const { transaction, types } of given) {
      const { call } = executionRequest(context, { transaction, block: selector, stateOverrides: undefined })
      calls.push({ trace: startParityTrace(types, budget), call })
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    await context.backend.tracing.traceCalls({
      view: context.view,
      block: tracedBlock(context.view, selector),
      isLatest: 'tag' in selector && selector.tag === 'latest',
      calls: calls.map(({ call, trace: { tracer } }) => ({ call, tracer })),
    })
    const traces = calls.map(({ trace }) => trace)
    return written((writer) => writeTraces(traces, writer))
  },
)

function* writeTraces(traces: readonly ParityTrace[], writer: PieceWriter): Steps<void> {
  const list = new ListWriter(writer)
  for (const trace of traces) {
    list.append('')
    yield* writeTrace(trace, writer)
  }
  list.end()
}
