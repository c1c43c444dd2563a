import { isJavaScript, startTrace } from '../tracers/startTrace.js'
import type { StoredBlock } from '../../chain/block/record.js'
import { TraceBudget } from '../../chain/tracing/budget.js'
import { combineTracers } from '../../chain/tracing/tracer.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import { ListWriter, PieceWriter, jsonBytes, written } from '../format/pieces.js'
import type { Call } from '../method.js'
import { DurationError, parseDuration } from '../params/duration.js'
import type { TraceConfig } from '../params/traceConfig.js'
import { type Trace, type TracePlace, writeTrace } from '../tracers/tracerKind.js'
import { WireBytes, printJson } from '../wire.js'

/** How long one transaction may be traced: longer than in geth, whose machine is faster. */
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000

/** What traces of a request may cost. */
export function traceBudget({ backend, context }: Call): TraceBudget {
  return new TraceBudget({
    maxBytes: backend.settings.maxTraceBytes,
    timeoutMilliseconds: DEFAULT_TIMEOUT_MILLISECONDS,
    signal: context.signal,
  })
}

/**
 * Starts the trace that a config asks for, within a budget.
 *
 * @throws ServerError if the tracer's own config does not fit it, or then if the timeout is no duration: geth looks at them
 *   in this order once the state is there (eth/tracers/api.go, traceTx)
 */
export function startWithin(
  { backend }: Call,
  config: TraceConfig,
  budget: TraceBudget,
  place: TracePlace,
): Trace {
  const trace = startTrace(config, budget, place, backend.settings.compatibility.structLogForm)
  const guard = budget.guard(config.timeout === undefined ? undefined : milliseconds(config.timeout))
  return { ...trace, tracer: combineTracers([guard, trace.tracer]) }
}

function milliseconds(timeout: string): number {
  try {
    return parseDuration(timeout)
  } catch (error) {
    if (error instanceof DurationError) throw new ServerError(error.message)
    throw error
  }
}

/** Whether a config asks for every step. */
export function keepsSteps({ tracer }: TraceConfig): boolean {
  return tracer === undefined
}

/** The trace of one mined transaction. */
export async function traceOne(
  call: Call,
  block: StoredBlock,
  index: number,
  config: TraceConfig,
): Promise<WireBytes> {
  const budget = traceBudget(call)
  const place = placeOf(block, index)
  let trace: Trace | undefined
  await call.backend.tracing.traceBlock({
    view: call.view,
    block,
    only: index,
    tracerFor: () => {
      trace = startWithin(call, config, budget, place)
      return trace.tracer
    },
    traced: () => undefined,
    keepsSteps: keepsSteps(config),
  })
  const made = trace
  if (made === undefined) throw new ServerError('transaction not found')
  return written((writer) => writeTrace(made, place, writer))
}

/** The traces of all transactions of a block, each beside its hash. */
export async function traceAll(call: Call, block: StoredBlock, config: TraceConfig): Promise<WireBytes> {
  const budget = traceBudget(call)
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  const slice = new TimeSlice()
  // geth traces the transactions of a block side by side where JavaScript does it, and tells the failure of each.
  const isTolerant = isJavaScript(config)
  let trace: Trace | undefined
  let failure: string | undefined
  await call.backend.tracing.traceBlock({
    view: call.view,
    block,
    tracerFor: (index) => {
      failure = undefined
      try {
        trace = startWithin(call, config, budget, placeOf(block, index))
        return trace.tracer
      } catch (error) {
        if (!isTolerant || !(error instanceof ServerError)) throw error
        trace = undefined
        failure = error.message
        return {}
      }
    },
    traced: async (index) => {
      const place = placeOf(block, index)
      const hash = place.transactionHash === undefined ? 'null' : jsonBytes(place.transactionHash)
      failure ??= trace?.failure?.()
      if (trace === undefined || failure !== undefined) {
        if (!isTolerant) throw new ServerError(failure ?? '')
        list.append(`{"txHash":${hash},"error":${printJson(failure ?? '')}}`)
        return
      }
      list.append(`{"txHash":${hash},"result":`)
      await runInSlices(trace.write(place, writer), slice)
      writer.append('}')
    },
    keepsSteps: keepsSteps(config),
  })
  list.end()
  return new WireBytes(writer.pieces())
}

/** Where a transaction of a block stands. */
export function placeOf(
  { hash: blockHash, header, transactions }: StoredBlock,
  transactionIndex: number,
): TracePlace {
  const transactionHash = transactions[transactionIndex]?.hash
  return {
    blockHash,
    blockNumber: header.number,
    ...(transactionHash !== undefined && { transactionHash }),
    transactionIndex,
  }
}
