import { isJavaScript, mayRunPrograms, startTrace } from '../tracers/startTrace.js'
import type { StoredBlock } from '../../chain/block/record.js'
import type { ReplayedBlock } from '../../chain/tracing/replay.js'
import { TraceBudget } from '../../chain/tracing/budget.js'
import { combineTracers } from '../../chain/tracing/tracer.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { Semaphore } from '../../encoding/semaphore.js'
import { ServerError } from '../errors.js'
import { ListWriter, PieceWriter, jsonBytes, written } from '../format/pieces.js'
import type { Call } from '../method.js'
import { DurationError, parseDuration } from '../params/duration.js'
import type { TraceConfig } from '../params/traceConfig.js'
import { type Trace, type TraceContext, writeTrace } from '../tracers/tracerKind.js'
import { WireBytes, printJson } from '../wire.js'

/** Maximum tracing time of a transaction; longer than geth's, to allow for a slower machine. */
const DEFAULT_TIMEOUT_MILLISECONDS = 30_000

/** Returns the limits of a request's traces. */
export function traceBudget({ backend, context }: Call): TraceBudget {
  return new TraceBudget({
    maxBytes: backend.settings.maxTraceBytes,
    timeoutMilliseconds: DEFAULT_TIMEOUT_MILLISECONDS,
    requester: context,
  })
}

/** Requests that run programs at once: each program may hold megabytes. */
const programs = new Semaphore(4)

/** Runs a request for configured traces within a budget. */
export async function withinBudget<T>(
  call: Call,
  config: TraceConfig,
  work: (budget: TraceBudget) => Promise<T>,
): Promise<T> {
  const run = async (): Promise<T> => {
    const budget = traceBudget(call)
    try {
      return await work(budget)
    } finally {
      budget.end()
    }
  }
  return mayRunPrograms(config) ? programs.run(run) : run()
}

/**
 * Starts the trace that a configuration selects, within a budget.
 *
 * @throws ServerError if the tracer rejects its configuration, or else if the timeout is not a duration; geth checks
 * them in this order, after loading the state (eth/tracers/api.go, traceTx)
 */
export function startTraceWithinBudget(
  { backend }: Call,
  config: TraceConfig,
  budget: TraceBudget,
  context: TraceContext,
): Trace {
  const trace = startTrace(config, budget, context, backend.settings.compatibility.traceForm)
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

/** Whether the trace logs every step. */
export function keepsSteps({ tracer }: TraceConfig): boolean {
  return tracer === undefined
}

/** Traces one mined transaction. */
export async function traceOne(
  call: Call,
  block: StoredBlock,
  index: number,
  config: TraceConfig,
): Promise<WireBytes> {
  const context = traceContextOf(block, index)
  let trace: Trace | undefined
  await withinBudget(call, config, (budget) =>
    call.backend.tracing.traceBlock({
      view: call.view,
      requester: call.context,
      block,
      transactionIndex: index,
      tracerFor: () => {
        trace = startTraceWithinBudget(call, config, budget, context)
        return trace.tracer
      },
      traced: () => undefined,
      keepsSteps: keepsSteps(config),
    }),
  )
  const made = trace
  if (made === undefined) throw new ServerError('transaction not found')
  return written((writer) => writeTrace(made, context, writer))
}

/**
 * What becomes of a tracer's failure in one of a block's transactions: the request fails, each failure is reported
 * beside the other traces, or the first one is, and null for the transactions after it.
 */
type FailureHandling = 'fail' | 'report each' | 'report first'

/** Traces all transactions of a block, each with its hash. */
export function traceAll(
  call: Call,
  block: ReplayedBlock,
  config: TraceConfig,
  // For JavaScript tracers, geth traces the transactions of a block in parallel.
  failures: FailureHandling = isJavaScript(config) ? 'report each' : 'fail',
): Promise<WireBytes> {
  return withinBudget(call, config, (budget) => traceEach(call, block, config, budget, failures))
}

async function traceEach(
  call: Call,
  block: ReplayedBlock,
  config: TraceConfig,
  budget: TraceBudget,
  failures: FailureHandling,
): Promise<WireBytes> {
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  const slice = new TimeSlice()
  let trace: Trace | undefined
  let failure: string | undefined
  let hasEnded = false
  await call.backend.tracing.traceBlock({
    view: call.view,
    requester: call.context,
    block,
    tracerFor: (index) => {
      if (hasEnded) return {}
      failure = undefined
      try {
        trace = startTraceWithinBudget(call, config, budget, traceContextOf(block, index))
        return trace.tracer
      } catch (error) {
        if (failures === 'fail' || !(error instanceof ServerError)) throw error
        trace = undefined
        failure = error.message
        return {}
      }
    },
    traced: async (index) => {
      if (hasEnded) {
        list.append('null')
        return
      }
      const context = traceContextOf(block, index)
      const hash = context.transactionHash === undefined ? 'null' : jsonBytes(context.transactionHash)
      failure ??= trace?.tracer.failure
      if (trace === undefined || failure !== undefined) {
        if (failures === 'fail') throw new ServerError(failure ?? '')
        hasEnded = failures === 'report first'
        list.append(`{"txHash":${hash},"error":${printJson(failure ?? '')}}`)
        return
      }
      list.append(`{"txHash":${hash},"result":`)
      await runInSlices(trace.write(context, writer), slice)
      writer.append('}')
    },
    keepsSteps: keepsSteps(config),
  })
  list.end()
  return new WireBytes(writer.pieces())
}

/** Returns the trace context of a block's transaction. */
export function traceContextOf(
  { hash: blockHash, header, transactions }: ReplayedBlock,
  transactionIndex: number,
): TraceContext {
  const transactionHash = transactions[transactionIndex]?.hash
  return {
    blockHash,
    blockNumber: header.number,
    ...(transactionHash !== undefined && { transactionHash }),
    transactionIndex,
  }
}
