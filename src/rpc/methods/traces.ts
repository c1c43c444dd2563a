import type { StoredBlock } from '../../chain/block/record.js'
import { TraceBudget } from '../../chain/tracing/budget.js'
import { combineTracers } from '../../chain/tracing/combine.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import { jsonBytes } from '../format/members.js'
import type { TracePlace } from '../format/tracePlace.js'
import { ListWriter, PieceWriter, written } from '../format/pieces.js'
import type { Call } from '../method.js'
import { DurationError, parseDuration } from '../params/duration.js'
import type { TraceConfig } from '../params/traceConfig.js'
import { startTrace } from '../tracers/startTrace.js'
import { type Trace, writeTrace } from '../tracers/tracerKind.js'
import { printJson, WireBytes } from '../wire.js'

/** How long one transaction may be traced: longer than in geth, whose machine is faster. */
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000

/**
 * What traces of a request may cost.
 *
 * @throws ServerError if the config's timeout is no duration.
 */
export function traceBudget({ backend, context }: Call, { timeout }: TraceConfig): TraceBudget {
  return new TraceBudget({
    maxBytes: backend.settings.maxTraceBytes,
    timeoutMilliseconds: timeout === undefined ? DEFAULT_TIMEOUT_MILLISECONDS : milliseconds(timeout),
    signal: context.signal,
  })
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
export function keepsSteps({ tracer = '' }: TraceConfig): boolean {
  return tracer === ''
}

/** The trace of one mined transaction. */
export async function traceOne(
  call: Call,
  block: StoredBlock,
  index: number,
  config: TraceConfig,
): Promise<WireBytes> {
  const budget = traceBudget(call, config)
  const place = placeOf(block, index)
  const trace = startTrace(config, budget, place)
  await call.backend.tracing.traceBlock({
    view: call.view,
    block,
    only: index,
    tracerFor: () => combineTracers([budget.guard(), trace.tracer]),
    traced: () => undefined,
    keepsSteps: keepsSteps(config),
  })
  return written((writer) => writeTrace(trace, place, writer))
}

/** The traces of all transactions of a block, each beside its hash. */
export async function traceAll(call: Call, block: StoredBlock, config: TraceConfig): Promise<WireBytes> {
  const budget = traceBudget(call, config)
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  const slice = new TimeSlice()
  let trace: Trace | undefined
  await call.backend.tracing.traceBlock({
    view: call.view,
    block,
    tracerFor: (index) => {
      trace = startTrace(config, budget, placeOf(block, index))
      return combineTracers([budget.guard(), trace.tracer])
    },
    traced: async (index) => {
      const place = placeOf(block, index)
      const hash = place.transactionHash === undefined ? 'null' : jsonBytes(place.transactionHash)
      const failure = trace?.failure?.()
      if (trace === undefined || failure !== undefined) {
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
