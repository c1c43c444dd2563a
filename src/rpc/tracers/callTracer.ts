import { type CallFrame, type CallLog, CallTracer } from '../../chain/tracing/callTracer.js'
import type { Steps } from '../../encoding/timeSlice.js'
import {
  ListWriter,
  type PieceWriter,
  bytesMember,
  jsonBytes,
  jsonQuantity,
  quantityMember,
} from '../format/pieces.js'
import { struct } from '../params/combinators.js'
import { boolean } from '../params/bytes.js'
import { printJson, printText } from '../wire.js'
import { frameFailure } from './frameFailure.js'
import { type TraceForm, type TracerKind, decodeTracerConfig } from './tracerKind.js'

/**
 * Writes a frame with its nested frames, members in geth's order (eth/tracers/native/call.go, callFrame).
 *
 * @param more - writes additional members of a frame, each preceded by a comma
 */
export function* writeCallFrame(
  top: CallFrame,
  writer: PieceWriter,
  form: TraceForm,
  more?: (frame: CallFrame) => Steps<void>,
): Steps<void> {
  const open = [{ frame: top, next: 0 }]
  writer.append(beginning(top, form))
  yield* writeReason(top, writer)
  for (let parent = open.at(-1); parent !== undefined; parent = open.at(-1)) {
    yield
    const { frame, next } = parent
    const call = frame.calls[next]
    if (call !== undefined) {
      writer.append((next === 0 ? ',"calls":[' : ',') + beginning(call, form))
      yield* writeReason(call, writer)
      parent.next++
      open.push({ frame: call, next: 0 })
      continue
    }
    if (next > 0) writer.append(']')
    yield* writeLogs(frame.logs, writer)
    writer.append(quantityMember('value', frame.value))
    if (more !== undefined) yield* more(frame)
    writer.append(`,"type":"${frame.type}"}`)
    open.pop()
  }
}

/** Returns a frame's text up to its revert reason. */
function beginning(
  { type, from, to, input, gas, gasUsed, output, failure }: CallFrame,
  form: TraceForm,
): string {
  const isFailedCreation = failure !== undefined && (type === 'CREATE' || type === 'CREATE2')
  return (
    `{"from":${jsonBytes(from)},"gas":${jsonQuantity(gas)},"gasUsed":${jsonQuantity(gasUsed)}` +
    bytesMember('to', isFailedCreation ? undefined : to) +
    `,"input":${jsonBytes(input)}` +
    bytesMember('output', output) +
    (failure === undefined ? '' : `,"error":${printJson(frameFailure(failure, form))}`)
  )
}

function* writeReason({ revertReason }: CallFrame, writer: PieceWriter): Steps<void> {
  if (revertReason === undefined) return
  writer.append(',"revertReason":')
  for (const piece of yield* printText(revertReason)) writer.append(piece)
}

function* writeLogs(logs: readonly CallLog[], writer: PieceWriter): Steps<void> {
  if (logs.length === 0) return
  writer.append(',"logs":')
  const list = new ListWriter(writer)
  for (const log of logs) {
    list.append(callLogText(log))
    yield
  }
  list.end()
}

function callLogText({ address, topics, data, index, position }: CallLog): string {
  return (
    `{"address":${jsonBytes(address)},"topics":[${topics.map(jsonBytes).join(',')}],"data":${jsonBytes(data)}` +
    `,"index":${jsonQuantity(index)},"position":${jsonQuantity(position)}}`
  )
}

const options = struct(
  { struct: 'callTracerConfig', type: 'native.callTracerConfig' },
  { onlyTopCall: boolean, withLog: boolean },
)

/** callTracer: nested call frames. */
export const callTracer: TracerKind = {
  name: 'callTracer',
  start(config, budget, _, form) {
    const { onlyTopCall = false, withLog = false } = decodeTracerConfig(options, config)
    const tracer = new CallTracer({ onlyTopCall, withLog, gasAfterIntrinsic: form === 'anvil' }, budget)
    return { tracer, write: (_, writer) => writeCallFrame(tracer.result, writer, form) }
  },
}
