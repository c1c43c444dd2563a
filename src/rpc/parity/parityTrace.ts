import type { TraceBudget } from '../../chain/tracing/budget.js'
import { CallTracer } from '../../chain/tracing/callTracer.js'
import { combineTracers } from '../../chain/tracing/combine.js'
import type { PrestateAccount } from '../../chain/tracing/prestateAccount.js'
import { PrestateTracer } from '../../chain/tracing/prestateTracer.js'
import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { jsonBytes, jsonQuantity } from '../format/members.js'
import { ListWriter, type PieceWriter, written } from '../format/pieces.js'
import type { TraceType } from '../params/traceTypes.js'
import { writeFlatCalls } from '../tracers/flatCallTracer.js'
import type { WireBytes } from '../wire.js'
import { VmTrace } from './vmTrace.js'

const ZERO_SLOT = '0'.repeat(64)
/** What did not change. */
const SAME = '"="'

/** Writes what an execution changed, in Parity's form: `=` as it was, `*` changed, `+` new, `-` gone. */
export function* writeStateDiff(
  { pre, post }: Pick<PrestateTracer, 'pre' | 'post'>,
  writer: PieceWriter,
): Steps<void> {
  const accounts = new ListWriter(writer, '{}')
  for (const [address, before] of [...pre].sort(([a], [b]) => (a < b ? -1 : 1))) {
    accounts.append(`"0x${address}":`)
    const after = post.get(address)
    if (after === undefined) yield* writeWhole('-', before, writer)
    else if (before.isAbsent) yield* writeWhole('+', after, writer)
    else yield* writeChanges(before, after, writer)
  }
  accounts.end()
}

function* writeWhole(
  sign: '+' | '-',
  { balance, nonce, code, storage }: PrestateAccount,
  writer: PieceWriter,
): Steps<void> {
  const whole = (value: string): string => `{"${sign}":${value}}`
  writer.append(
    `{"balance":${whole(jsonQuantity(balance ?? 0n))},"nonce":${whole(jsonQuantity(nonce ?? 0n))}` +
      `,"code":${whole(jsonBytes(code))},"storage":`,
  )
  const slots = new ListWriter(writer, '{}')
  for (const [slot, value] of storage) {
    slots.append(`"0x${slot}":${whole(`"0x${value}"`)}`)
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
  for (const slot of [...new Set([...before.storage.keys(), ...after.storage.keys()])].sort()) {
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
