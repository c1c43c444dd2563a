import type { TraceBudget } from '../../chain/tracing/budget.js'
import { CallTracer } from '../../chain/tracing/callTracer.js'
import { combineTracers } from '../../chain/tracing/combine.js'
import { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { writeFlatCalls } from '../format/flatCalls.js'
import { jsonBytes } from '../format/members.js'
import type { PieceWriter } from '../format/pieceWriter.js'
import { written } from '../format/written.js'
import type { TraceType } from '../params/traceTypes.js'
import type { WireBytes } from '../wire.js'
import { writeStateDiff } from './stateDiff.js'
import { VmTrace } from './vmTrace.js'

/** A trace in Parity's form that is being made. */
export interface ParityTrace {
  tracer: ExecutionTracer
  /** Writes output, frames and changes of the state as the members of a JSON object, once the execution is over. */
  write(writer: PieceWriter): Steps<void>
}

/** The object of a trace by itself. */
export function writtenTrace(trace: ParityTrace): Promise<WireBytes> {
  return written((writer) => writeTrace(trace, writer))
}

/** Writes the object of a trace. */
export function* writeTrace(trace: ParityTrace, writer: PieceWriter): Steps<void> {
  writer.append('{')
  yield* trace.write(writer)
  writer.append('}')
}

/** How Parity shows frames. */
export const parityForm = { convertParityErrors: true }

/** What Parity tells of frames. */
export const parityFrames = { skipPrecompiles: true, executionGas: true }

/** Starts a trace of these parts; those that were not asked for are null or empty. */
export function startParityTrace(types: ReadonlySet<TraceType>, budget: TraceBudget): ParityTrace {
  const calls = new CallTracer(parityFrames, budget)
  const changes = types.has('stateDiff') ? new PrestateTracer({ diffMode: true }, budget) : undefined
  const steps = types.has('vmTrace') ? new VmTrace(budget) : undefined
  return {
    tracer: combineTracers([budget.guard(), calls, ...(changes ? [changes] : []), ...(steps ? [steps] : [])]),
    write: (writer) => writeMembers({ calls, changes, steps, withFrames: types.has('trace') }, writer),
  }
}

/** What a trace was made with; undefined is what was not asked for. */
interface Parts {
  calls: CallTracer
  changes: PrestateTracer | undefined
  steps: VmTrace | undefined
  withFrames: boolean
}

function* writeMembers({ calls, changes, steps, withFrames }: Parts, writer: PieceWriter): Steps<void> {
  writer.append(`"output":${jsonBytes(calls.result.output ?? new Uint8Array(0))},"stateDiff":`)
  if (changes === undefined) writer.append('null')
  else yield* writeStateDiff(changes, writer)
  writer.append(',"trace":')
  if (withFrames) yield* writeFlatCalls(calls.result, undefined, parityForm, writer)
  else writer.append('[]')
  writer.append(',"vmTrace":')
  if (steps === undefined) writer.append('null')
  else yield* steps.write(writer)
}
