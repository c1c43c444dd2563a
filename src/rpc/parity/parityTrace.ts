import type { TraceBudget } from '../../chain/tracing/budget.js'
import { CallTracer, type CallFrame } from '../../chain/tracing/callTracer.js'
import { combineTracers } from '../../chain/tracing/combine.js'
import { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import { flatCallText, flattenCalls } from '../format/flatCalls.js'
import { jsonBytes } from '../format/members.js'
import { printJson } from '../json.js'
import type { TraceType } from '../params/traceTypes.js'
import { stateDiff } from './stateDiff.js'
import { VmTrace } from './vmTrace.js'

/** A trace in Parity's form that is being made. */
export interface ParityTrace {
  tracer: ExecutionTracer
  /** The outermost frame, once the execution is over. */
  frame(): CallFrame
  /** Output, frames and changes of the state as the members of a JSON object. */
  members(): string
}

/** How Parity shows frames. */
export const parityForm = { convertParityErrors: true }

/** What Parity tells of frames. */
export const parityFrames = { skipPrecompiles: true, executionGas: true }

/** Starts a trace of these parts; those that were not asked for are null or empty. */
export function startParityTrace(types: ReadonlySet<TraceType>, budget: TraceBudget): ParityTrace {
  const calls = new CallTracer(parityFrames, budget)
  const changes = new PrestateTracer({ diffMode: true }, budget)
  const withChanges = types.has('stateDiff')
  const steps = types.has('vmTrace') ? new VmTrace(budget) : undefined
  return {
    tracer: combineTracers([
      budget.guard(),
      calls,
      ...(withChanges ? [changes] : []),
      ...(steps ? [steps] : []),
    ]),
    frame: () => calls.result,
    members: () => {
      const frames = types.has('trace')
        ? flattenCalls(calls.result).map((flat) => flatCallText(flat, undefined, parityForm))
        : []
      return (
        `"output":${jsonBytes(calls.result.output ?? new Uint8Array(0))}` +
        `,"stateDiff":${withChanges ? printJson(stateDiff(changes)) : 'null'}` +
        `,"trace":[${frames.join(',')}],"vmTrace":${steps?.text() ?? 'null'}`
      )
    },
  }
}
