import { opcodeNames } from '../../chain/evm/opcodeNames.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import { JavaScriptTracer } from '../../chain/tracing/javaScript/javaScriptTracer.js'
import { type JsonValue, printJson } from '../wire.js'
import type { Trace, TraceContext } from './tracerKind.js'

/**
 * Starts a tracer that is a JavaScript program.
 *
 * @param program - expression whose value has the hooks `result` and `fault`, and optionally `setup`, `step`, `enter`
 * and `exit`
 */
export function startJavaScriptTracer(
  program: string,
  config: unknown,
  budget: TraceBudget,
  context: TraceContext,
): Trace {
  const tracer = new JavaScriptTracer(
    {
      program,
      config: printJson((config ?? {}) as JsonValue),
      opcodeName: (opcode) => opcodeNames[opcode] ?? '',
      context,
    },
    budget,
  )
  return {
    tracer,
    write: function* (_, writer) {
      yield writer.append(tracer.result)
    },
  }
}
