import type { TraceBudget } from '../../chain/tracing/budget.js'
import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import type { PieceWriter } from '../format/pieces.js'
import { DecodeError, type Decoder } from '../params/combinators.js'

/** A trace that is being made. */
export interface Trace {
  tracer: ExecutionTracer
  /** Writes its text, once the execution is over. */
  write(place: TracePlace, writer: PieceWriter): Steps<void>
  /** Why there is nothing to write, once the execution is over; absent where a tracer cannot fail by itself. */
  failure?(): string | undefined
}

/** A tracer by its name on the wire. */
export interface TracerKind {
  readonly name: string
  /** @throws ServerError if the config does not fit the tracer. */
  start(config: unknown, budget: TraceBudget, place: TracePlace): Trace
}

/**
 * The config of a tracer; an absent one is empty.
 *
 * @throws ServerError in Go's words: geth reports it as any other failure, not as a wrong argument.
 */
export function decodeTracerConfig<T>(decoder: Decoder<T>, config: unknown): T {
  try {
    return decoder.decode(config ?? null)
  } catch (error) {
    if (error instanceof DecodeError) throw new ServerError(error.describe())
    throw error
  }
}

/** Prints the text of a trace. @throws ServerError if the tracer has failed */
export function* writeTrace(trace: Trace, place: TracePlace, writer: PieceWriter): Steps<void> {
  const failure = trace.failure?.()
  if (failure !== undefined) throw new ServerError(failure)
  yield* trace.write(place, writer)
}

/** Where what is traced stands; a call stands nowhere. */
export interface TracePlace {
  /** 32 bytes. */
  blockHash?: Uint8Array
  blockNumber: bigint
  /** 32 bytes. */
  transactionHash?: Uint8Array
  transactionIndex: number
}

/** The place of a call that is no transaction. */
export const noPlace: TracePlace = { blockNumber: 0n, transactionIndex: 0 }
