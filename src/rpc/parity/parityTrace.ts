import type { StoredBlock } from '../../chain/block/record.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import { type CallFrame, CallTracer } from '../../chain/tracing/callTracer.js'
import { type PrestateAccount, PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import { type ExecutionTracer, combineTracers } from '../../chain/tracing/tracer.js'
import { sortedEntries } from '../../encoding/sorting.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { ListWriter, PieceWriter, jsonBytes, jsonQuantity, writeBytes, written } from '../format/pieces.js'
import type { Call } from '../method.js'
import { traceContextOf } from '../methods/traces.js'
import type { TraceType } from '../params/traceConfig.js'
import {
  type FlatCall,
  type FlatCallOptions,
  flatCallText,
  flattenCalls,
  writeFlatCalls,
} from '../tracers/flatCallTracer.js'
import { parityMessage } from '../tracers/frameFailure.js'
import type { TraceContext, TraceForm } from '../tracers/tracerKind.js'
import { WireBytes } from '../wire.js'
import { VmTrace } from './vmTrace.js'

const ZERO_SLOT = '0'.repeat(64)
/** Marker of an unchanged value. */
const SAME = '"="'

/** Writes state changes in Parity's format: `=` unchanged, `*` changed, `+` added, `-` removed. */
function* writeStateDiff(
  { pre, post }: Pick<PrestateTracer, 'pre' | 'post'>,
  form: TraceForm,
  writer: PieceWriter,
): Steps<void> {
  const accounts = new ListWriter(writer, '{}')
  for (const [address, before] of yield* sortedEntries(pre)) {
    const after = post.get(address)
    const isGone = after === undefined || after.isAbsent
    if (isGone && before.isAbsent) continue
    accounts.append(`"0x${address}":`)
    if (isGone) yield* writeAccountDiff('-', before, writer)
    else if (isBorn(before, after, form)) yield* writeAccountDiff('+', after, writer)
    else yield* writeChanges(before, after, writer)
  }
  accounts.end()
}

/** Whether an account counts as new. In anvil only a contract does, whose nonce begins with one. */
function isBorn(before: PrestateAccount, after: PrestateAccount, form: TraceForm): boolean {
  return before.isAbsent && (form !== 'anvil' || (after.nonce ?? 0n) > 0n)
}

function* writeAccountDiff(
  sign: '+' | '-',
  { balance, nonce, code, storage }: PrestateAccount,
  writer: PieceWriter,
): Steps<void> {
  const mark = (value: string): string => `{"${sign}":${value}}`
  writer.append(
    `{"balance":${mark(jsonQuantity(balance ?? 0n))},"nonce":${mark(jsonQuantity(nonce ?? 0n))}` +
      `,"code":${mark(jsonBytes(code))},"storage":`,
  )
  const slots = new ListWriter(writer, '{}')
  for (const [slot, value] of storage) {
    slots.append(`"0x${slot}":${mark(`"0x${value}"`)}`)
    yield
  }
  slots.end()
  writer.append('}')
}

function* writeChanges(before: PrestateAccount, after: PrestateAccount, writer: PieceWriter): Steps<void> {
  const code = after.codeHash === undefined ? SAME : fromTo(jsonBytes(before.code), jsonBytes(after.code))
  writer.append(
    `{"balance":${changed(before.balance, after.balance)},"nonce":${changed(before.nonce, after.nonce)}` +
      `,"code":${code},"storage":`,
  )
  yield
  const slots = new ListWriter(writer, '{}')
  for (const [slot] of yield* sortedEntries(new Map([...before.storage, ...after.storage]))) {
    const [from, to] = [before.storage.get(slot) ?? ZERO_SLOT, after.storage.get(slot) ?? ZERO_SLOT]
    slots.append(`"0x${slot}":${fromTo(`"0x${from}"`, `"0x${to}"`)}`)
    yield
  }
  slots.end()
  writer.append('}')
}

function changed(before = 0n, after: bigint | undefined): string {
  return after === undefined ? SAME : fromTo(jsonQuantity(before), jsonQuantity(after))
}

function fromTo(from: string, to: string): string {
  return `{"*":{"from":${from},"to":${to}}}`
}

/** A Parity trace in progress. */
export interface ParityTrace {
  tracer: ExecutionTracer
  /** Writes output, frames and state changes as members of a JSON object. Call this once execution has ended. */
  write(writer: PieceWriter): Steps<void>
}

/** Returns a trace as a JSON object. */
export function writtenTrace(trace: ParityTrace): Promise<WireBytes> {
  return written((writer) => writeParityTrace(trace, writer))
}

/** Writes a trace as a JSON object. */
export function* writeParityTrace(trace: ParityTrace, writer: PieceWriter): Steps<void> {
  writer.append('{')
  yield* trace.write(writer)
  writer.append('}')
}

/** Returns Parity's format of frames. */
function parityFormat(form: TraceForm): FlatCallOptions {
  return { describe: (failure) => parityMessage(failure, form), missingResult: 'null' }
}

/** Parity's choice of frame contents. */
const parityFrames = { skipPrecompiles: true, gasAfterIntrinsic: true, gasUsedByCode: true }

/** Starts a trace of the given parts; the others are null or empty. */
export function startParityTrace(
  { backend }: Pick<Call, 'backend'>,
  types: ReadonlySet<TraceType>,
  budget: TraceBudget,
): ParityTrace {
  const form = backend.settings.compatibility.traceForm
  const calls = new CallTracer(parityFrames, budget)
  const changes = types.has('stateDiff')
    ? new PrestateTracer({ diffMode: true, includeEmpty: true }, budget)
    : undefined
  const steps = types.has('vmTrace') ? new VmTrace(budget) : undefined
  return {
    tracer: combineTracers([budget.guard(), calls, ...(changes ? [changes] : []), ...(steps ? [steps] : [])]),
    write: (writer) => writeMembers({ calls, changes, steps, withFrames: types.has('trace'), form }, writer),
  }
}

/** Tracers of the requested parts; undefined for the others. */
interface Parts {
  calls: CallTracer
  changes: PrestateTracer | undefined
  steps: VmTrace | undefined
  withFrames: boolean
  form: TraceForm
}

function* writeMembers({ calls, changes, steps, withFrames, form }: Parts, writer: PieceWriter): Steps<void> {
  writer.append('"output":')
  yield* writeBytes(calls.result.output ?? new Uint8Array(0), writer)
  writer.append(',"stateDiff":')
  if (changes === undefined) writer.append('null')
  else yield* writeStateDiff(changes, form, writer)
  writer.append(',"trace":')
  if (withFrames) yield* writeFlatCalls(calls.result, undefined, parityFormat(form), writer)
  else writer.append('[]')
  writer.append(',"vmTrace":')
  if (steps === undefined) writer.append('null')
  else yield* steps.write(writer)
}

/** Selects the frames to trace. */
export interface FramesRequest {
  block: StoredBlock
  /** Index of the only transaction; the whole block if absent. */
  transactionIndex?: number
  budget: TraceBudget
}

/**
 * Passes the outermost frame of each transaction to `onTrace` as soon as it is traced; a block without transactions has
 * none.
 */
export async function eachFrame(
  { view, backend }: Pick<Call, 'view' | 'backend'>,
  { block, transactionIndex, budget }: FramesRequest,
  onTrace: (top: CallFrame, index: number) => Awaitable<void>,
): Promise<void> {
  if (block.transactions.length === 0) return
  let calls: CallTracer | undefined
  await backend.tracing.traceBlock({
    view,
    requester: budget.requester,
    block,
    ...(transactionIndex !== undefined && { transactionIndex }),
    tracerFor: () => {
      calls = new CallTracer(parityFrames, budget)
      return combineTracers([budget.guard(), calls])
    },
    traced: (index) => (calls === undefined ? undefined : onTrace(calls.result, index)),
  })
}

/** Passes the text of each frame in Parity's format to `write`: outermost frames first, then those within. */
export async function writeFrameTexts(
  call: Pick<Call, 'view' | 'backend'>,
  order: FramesRequest & { keep?: (flat: FlatCall) => boolean },
  write: (text: string) => void,
): Promise<void> {
  const { block, keep = () => true } = order
  const format = parityFormat(call.backend.settings.compatibility.traceForm)
  const slice = new TimeSlice()
  await eachFrame(call, order, (top, index) =>
    runInSlices(writeFrames(top, { context: traceContextOf(block, index), format, keep, write }), slice),
  )
}

interface FrameSink {
  context: TraceContext
  format: FlatCallOptions
  keep: (flat: FlatCall) => boolean
  write: (text: string) => void
}

function* writeFrames(top: CallFrame, { context, format, keep, write }: FrameSink): Steps<void> {
  for (const flat of flattenCalls(top)) {
    if (keep(flat)) write(flatCallText(flat, context, format))
    yield
  }
}

/** Lists frames in Parity's format. */
export async function listFrames(
  call: Pick<Call, 'view' | 'backend'>,
  order: FramesRequest,
): Promise<WireBytes> {
  const writer = new PieceWriter()
  const list = new ListWriter(writer)
  await writeFrameTexts(call, order, (text) => list.append(text))
  list.end()
  return new WireBytes(writer.pieces())
}
