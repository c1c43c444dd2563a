import type { TraceBudget } from '../../chain/tracing/budget.js'
import { StructLogger, type StructLogOptions } from '../../chain/tracing/structLogger.js'
import { StructLogText } from '../format/structLog.js'
import type { Trace } from './tracerKind.js'

/** The tracer that has no name: every opcode with its stack. */
export function startStructLogger(options: StructLogOptions, budget: TraceBudget): Trace {
  const text = new StructLogText()
  const tracer = new StructLogger(options, text, budget)
  return { tracer, write: (_, writer) => text.writeAll(tracer.outcome, writer) }
}
