import { REVERTED } from '../../chain/evm/revertReason.js'
import { type CallFrame, CallTracer } from '../../chain/tracing/callTracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import {
  ListWriter,
  type PieceWriter,
  bytesMember,
  jsonBytes,
  jsonQuantity,
  quantityMember,
  writeBytes,
} from '../format/pieces.js'
import { struct } from '../params/combinators.js'
import { boolean } from '../params/bytes.js'
import { printJson } from '../wire.js'
import { parityMessage } from './frameFailure.js'
import { type TraceContext, type TracerKind, decodeTracerConfig } from './tracerKind.js'

/** Format of flat calls. */
export interface FlatCallOptions {
  /** Returns the message for a failure with geth's message. */
  describe: (failure: string) => string
  /** `result` of a frame without one: null in trace_* (Erigon, Reth), absent in geth's flatCallTracer. */
  missingResult: 'null' | 'absent'
}

const NO_BYTES = new Uint8Array(0)

/**
 * Writes a frame and its nested frames as one list, parents first, in Parity's format (geth: native/call_flat.go).
 * Without a context, the trace is of a call.
 */
export function* writeFlatCalls(
  top: CallFrame,
  context: TraceContext | undefined,
  options: FlatCallOptions,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const flat of flattenCalls(top)) {
    list.append('')
    for (const part of flatCallParts(flat, context, options)) {
      if (typeof part === 'string') writer.append(part)
      else yield* writeBytes(part, writer)
    }
    yield
  }
  list.end()
}

/** A frame and its position in the tree. */
export interface FlatCall {
  frame: CallFrame
  /** Child indices on the path from the outermost frame to this one. */
  traceAddress: readonly number[]
}

/** Yields a frame and its nested frames, parents first. */
export function* flattenCalls(top: CallFrame): Iterable<FlatCall> {
  yield { frame: top, traceAddress: [] }
  const open: (FlatCall & { next: number })[] = [{ frame: top, traceAddress: [], next: 0 }]
  for (let parent = open.at(-1); parent !== undefined; parent = open.at(-1)) {
    const index = parent.next++
    const frame = parent.frame.calls[index]
    if (frame === undefined) {
      open.pop()
      continue
    }
    const flat = { frame, traceAddress: [...parent.traceAddress, index] }
    yield flat
    open.push({ ...flat, next: 0 })
  }
}

/** Text, or bytes to write as a JSON string. */
type Part = string | Uint8Array

/** Returns the text of one frame. Without a context, as for a call, it names no block and no transaction. */
export function flatCallText(
  flat: FlatCall,
  context: TraceContext | undefined,
  format: FlatCallOptions,
): string {
  let text = ''
  for (const part of flatCallParts(flat, context, format)) {
    text += typeof part === 'string' ? part : jsonBytes(part)
  }
  return text
}

/** Returns the parts of {@link flatCallText}: the bytes may be megabytes, which take long to write at once. */
function flatCallParts(
  { frame, traceAddress }: FlatCall,
  context: TraceContext | undefined,
  { describe, missingResult }: FlatCallOptions,
): Part[] {
  const { failure, calls } = frame
  const hasResult = (failure === undefined || failure === REVERTED) && frame.type !== 'SELFDESTRUCT'
  const missing = missingResult === 'null' ? [',"result":null'] : []
  const message = failure === undefined ? undefined : describe(failure)
  return [
    '{"action":',
    ...actionParts(frame),
    (context === undefined
      ? ''
      : `,"blockHash":${hashOrNull(context.blockHash)},"blockNumber":${context.blockNumber}`) +
      (message === undefined ? '' : `,"error":${printJson(message)}`),
    ...(hasResult ? resultParts(frame) : missing),
    `,"subtraces":${calls.length},"traceAddress":[${traceAddress.join(',')}]` +
      (context === undefined
        ? ''
        : `,"transactionHash":${hashOrNull(context.transactionHash)},"transactionPosition":${context.transactionIndex}`) +
      `,"type":"${kindOf(frame)}"}`,
  ]
}

function kindOf({ type }: CallFrame): 'call' | 'create' | 'suicide' {
  if (type === 'SELFDESTRUCT') return 'suicide'
  return isCreation(type) ? 'create' : 'call'
}

function isCreation(type: CallFrame['type']): boolean {
  return type === 'CREATE' || type === 'CREATE2'
}

function actionParts({ type, from, to, gas, input, value = 0n }: CallFrame): Part[] {
  if (type === 'SELFDESTRUCT') {
    return [
      `{"address":${jsonBytes(from)},"balance":${jsonQuantity(value)},"refundAddress":${jsonBytes(to)}}`,
    ]
  }
  const creates = isCreation(type)
  return [
    `{"${creates ? 'creationMethod' : 'callType'}":"${type.toLowerCase()}"` +
      `,"from":${jsonBytes(from)},"gas":${jsonQuantity(gas)},"${creates ? 'init' : 'input'}":`,
    input,
    `${bytesMember('to', creates ? undefined : to)}${quantityMember('value', value)}}`,
  ]
}

function resultParts({ type, to, gasUsed, output = NO_BYTES, failure }: CallFrame): Part[] {
  const used = `"gasUsed":${jsonQuantity(gasUsed)}`
  if (!isCreation(type)) return [`,"result":{${used},"output":`, output, '}']
  const address = failure === undefined ? `"address":${jsonBytes(to)},` : ''
  return [`,"result":{${address}"code":`, output, `,${used}}`]
}

function hashOrNull(hash: Uint8Array | undefined): string {
  return hash === undefined ? 'null' : jsonBytes(hash)
}

const options = struct(
  { struct: 'flatCallTracerConfig', type: 'native.flatCallTracerConfig' },
  { convertParityErrors: boolean, includePrecompiles: boolean },
)

/** Approximate length of a frame's text without its data, including transaction and block. */
const FRAME_BYTES = 720

/** flatCallTracer: call frames as one list in Parity's format. */
export const flatCallTracer: TracerKind = {
  name: 'flatCallTracer',
  start(config, budget, _, form) {
    const { convertParityErrors = false, includePrecompiles = false } = decodeTracerConfig(options, config)
    const tracer = new CallTracer({ skipPrecompiles: !includePrecompiles, frameBytes: FRAME_BYTES }, budget)
    const describe = (failure: string): string =>
      convertParityErrors ? parityMessage(failure, form) : failure
    return {
      tracer,
      write: (context, writer) =>
        writeFlatCalls(tracer.result, context, { describe, missingResult: 'absent' }, writer),
    }
  },
}
