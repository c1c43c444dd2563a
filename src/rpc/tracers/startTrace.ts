import type { TraceBudget } from '../../chain/tracing/budget.js'
import { FourByteTracer } from '../../chain/tracing/callTracer.js'
import { combineTracers } from '../../chain/tracing/tracer.js'
import { sortedEntries } from '../../encoding/sorting.js'
import { type Steps } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import { ListWriter, type PieceWriter } from '../format/pieces.js'
import type { TraceConfig } from '../params/traceConfig.js'
import { printJson } from '../wire.js'
import { callTracer } from './callTracer.js'
import { erc7562Tracer, keccakPreimageTracer } from './erc7562Tracer.js'
import { flatCallTracer } from './flatCallTracer.js'
import { startJavaScriptTracer } from './javaScriptTrace.js'
import { legacyTracers } from './legacyTracers.js'
import { prestateTracer } from './prestateTracer.js'
import { opcodeTracers, startStructLogger } from './structLogger.js'
import type { Trace, TraceContext, TraceForm, TracerKind } from './tracerKind.js'

/** 4byteTracer: number of calls per function selector. */
const fourByteTracer: TracerKind = {
  name: '4byteTracer',
  start(_config, budget) {
    const tracer = new FourByteTracer(budget)
    return { tracer, write: (_, writer) => writeCounts(tracer.counts, writer) }
  },
}

function* writeCounts(counts: Iterable<[string, number]>, writer: PieceWriter): Steps<void> {
  const members = new ListWriter(writer, '{}')
  for (const [key, count] of yield* sortedEntries(counts)) {
    members.append(`"${key}":${count}`)
    yield
  }
  members.end()
}

/** noopTracer: executes without output. */
const noopTracer: TracerKind = {
  name: 'noopTracer',
  start: () => ({ tracer: {}, write: (_, writer) => writeNothing(writer) }),
}

function* writeNothing(writer: PieceWriter): Steps<void> {
  yield writer.append('{}')
}

/** The most tracers of a muxTracer, with those of muxTracers in it. A program counts as several: it takes megabytes. */
const MAX_TRACERS = 32
const TRACERS_LIKE_A_PROGRAM = 8

/** muxTracer: several tracers at once, configured by name. */
const muxTracer: TracerKind = {
  name: 'muxTracer',
  start(config, budget, context, form) {
    if (roomAfter(config, MAX_TRACERS) < 0) throw new ServerError(`more than ${MAX_TRACERS} tracers`)
    const traces = muxMembers(config)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]): [string, Trace] => [name, startNamed(name, own, budget, context, form)])
    return {
      tracer: combineTracers(traces.map(([, { tracer }]) => tracer)),
      write: (at, writer) => writeMembers(traces, at, writer),
    }
  },
}

function* writeMembers(
  traces: readonly [string, Trace][],
  context: TraceContext,
  writer: PieceWriter,
): Steps<void> {
  const members = new ListWriter(writer, '{}')
  for (const [name, trace] of traces) {
    members.append(`${printJson(name)}:`)
    yield* trace.write(context, writer)
  }
  members.end()
}

const kinds: ReadonlyMap<string, TracerKind> = new Map(
  [
    ...[callTracer, erc7562Tracer, flatCallTracer, fourByteTracer, keccakPreimageTracer],
    ...[muxTracer, noopTracer, prestateTracer],
    ...opcodeTracers,
    ...legacyTracers,
  ].map((kind) => [kind.name, kind]),
)

/**
 * Starts the trace that a configuration selects.
 *
 * @param form - whose format the trace has; in hardhat's, memory is included unless disabled
 * @throws ServerError if `tracerConfig` does not fit the tracer
 */
export function startTrace(
  { tracer, tracerConfig, ...options }: TraceConfig,
  budget: TraceBudget,
  context: TraceContext,
  form: TraceForm,
): Trace {
  if (tracer !== undefined) return startNamed(tracer, tracerConfig, budget, context, form)
  const { enableMemory, disableMemory, disableStack, disableStorage, enableReturnData, limit } = options
  const isHardhat = form === 'hardhat'
  return startStructLogger(
    {
      enableMemory: isHardhat ? disableMemory !== true : enableMemory === true,
      storageOnEveryStep: isHardhat,
      disableStack: disableStack === true,
      disableStorage: disableStorage === true,
      enableReturnData: enableReturnData === true,
      limit: limit ?? 0,
    },
    budget,
    form,
  )
}

const programs: ReadonlySet<string> = new Set([...opcodeTracers, ...legacyTracers].map(({ name }) => name))

/** Whether geth looks up a tracer and finds it in JavaScript: those in the request, and some of its own. */
export function isJavaScript({ tracer }: TraceConfig): boolean {
  return tracer !== undefined && tracer !== '' && (!kinds.has(tracer) || programs.has(tracer))
}

/** Whether a trace may run programs, itself or in a muxTracer. */
export function mayRunPrograms({ tracer }: TraceConfig): boolean {
  return tracer !== undefined && (!kinds.has(tracer) || tracer === muxTracer.name)
}

/** Starts a tracer by name; an unknown name is taken as a JavaScript program. */
function startNamed(
  name: string,
  config: unknown,
  budget: TraceBudget,
  context: TraceContext,
  form: TraceForm,
): Trace {
  const kind = kinds.get(name)
  return kind === undefined
    ? startJavaScriptTracer(name, config, budget, context)
    : kind.start(config, budget, context, form)
}

/** Returns how many more tracers there may be after those of a muxTracer, out of `room`; negative if it is exceeded. */
function roomAfter(config: unknown, room: number): number {
  let left = room
  for (const [name, own] of muxMembers(config)) {
    left -= kinds.has(name) ? 1 : TRACERS_LIKE_A_PROGRAM
    if (left < 0) break
    if (name === muxTracer.name) left = roomAfter(own, left)
  }
  return left
}

function muxMembers(config: unknown): [string, unknown][] {
  if (config === undefined || config === null) return []
  if (typeof config === 'object' && !Array.isArray(config)) return Object.entries(config)
  const type = Array.isArray(config) ? 'array' : typeof config
  throw new ServerError(`json: cannot unmarshal ${type} into Go value of type map[string]json.RawMessage`)
}
