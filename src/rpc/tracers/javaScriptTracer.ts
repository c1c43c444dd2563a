import type { TraceBudget } from '../../chain/tracing/budget.js'
import { JavaScriptTracer } from '../../chain/tracing/javaScript/javaScriptTracer.js'
import type { TracePlace } from '../format/tracePlace.js'
import { type JsonValue, printJson } from '../wire.js'
import { opcodeNames } from '../../chain/evm/opcodeNames.js'
import type { Trace } from './tracerKind.js'

/**
 * A tracer that the request brings with it as a program in JavaScript.
 *
 * @param program - an expression whose value has the hooks `result` and `fault`, and what it wants of `setup`, `step`,
 *   `enter` and `exit`
 */
export function startJavaScriptTracer(
  program: string,
  config: unknown,
  budget: TraceBudget,
  place: TracePlace,
): Trace {
  const tracer = new JavaScriptTracer(
    {
      program,
      config: printJson((config ?? {}) as JsonValue),
      opcodeName: (opcode) => opcodeNames[opcode] ?? '',
      place,
    },
    budget,
  )
  return {
    tracer,
    write: function* (_, writer) {
      yield writer.append(tracer.result)
    },
    failure: () => tracer.failure,
  }
}
