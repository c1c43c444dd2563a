import type { TraceBudget } from '../../chain/tracing/budget.js'
import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import type { PieceWriter } from '../format/pieces.js'
import { DecodeError, type Decoder } from '../params/combinators.js'

/** Whose format and defaults traces have. */
export type TraceForm = 'geth' | 'anvil' | 'hardhat'

/** A trace in progress. */
export interface Trace {
  tracer: ExecutionTracer
  /** Writes the trace. Call this once execution has ended, unless the tracer has failed. */
  write(context: TraceContext, writer: PieceWriter): Steps<void>
}

/** A tracer with its wire name. */
export interface TracerKind {
  readonly name: string
  /** @throws ServerError if the configuration does not fit the tracer */
  start(config: unknown, budget: TraceBudget, context: TraceContext, form: TraceForm): Trace
}

/**
 * Decodes a tracer's configuration; an absent one is empty.
 *
 * @throws ServerError with Go's message: geth reports this as a failure, not as an invalid argument
 */
export function decodeTracerConfig<T>(decoder: Decoder<T>, config: unknown): T {
  try {
    return decoder.decode(config ?? null)
  } catch (error) {
    if (error instanceof DecodeError) throw new ServerError(error.describe())
    throw error
  }
}

/** Writes a trace. @throws ServerError if the tracer has failed */
export function* writeTrace(trace: Trace, context: TraceContext, writer: PieceWriter): Steps<void> {
  const { failure } = trace.tracer
  if (failure !== undefined) throw new ServerError(failure)
  yield* trace.write(context, writer)
}

/** Block and transaction of a trace. */
export interface TraceContext {
  /** 32 bytes. */
  blockHash?: Uint8Array
  blockNumber: bigint
  /** 32 bytes. */
  transactionHash?: Uint8Array
  transactionIndex: number
}

/** Context of a call, which has no block or transaction. */
export const emptyTraceContext: TraceContext = { blockNumber: 0n, transactionIndex: 0 }
