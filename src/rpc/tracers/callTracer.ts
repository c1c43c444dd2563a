import { type CallFrame, type CallLog, CallTracer } from '../../chain/tracing/callTracer.js'
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
  yield* writeBeginning(top, form, writer)
  for (let parent = open.at(-1); parent !== undefined; parent = open.at(-1)) {
    yield
    const { frame, next } = parent
    const call = frame.calls[next]
    if (call !== undefined) {
      writer.append(next === 0 ? ',"calls":[' : ',')
      yield* writeBeginning(call, form, writer)
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

/** Writes a frame up to its nested frames. */
function* writeBeginning(
  { type, from, to, input, gas, gasUsed, output, failure, revertReason }: CallFrame,
  form: TraceForm,
  writer: PieceWriter,
): Steps<void> {
  const isFailedCreation = failure !== undefined && (type === 'CREATE' || type === 'CREATE2')
  writer.append(
    `{"from":${jsonBytes(from)},"gas":${jsonQuantity(gas)},"gasUsed":${jsonQuantity(gasUsed)}` +
      `${bytesMember('to', isFailedCreation ? undefined : to)},"input":`,
  )
  yield* writeBytes(input, writer)
  if (output !== undefined) {
    writer.append(',"output":')
    yield* writeBytes(output, writer)
  }
  if (failure !== undefined) writer.append(`,"error":${printJson(frameFailure(failure, form))}`)
  if (revertReason === undefined) return
  writer.append(',"revertReason":')
  for (const piece of yield* printText(revertReason)) writer.append(piece)
}

function* writeLogs(logs: readonly CallLog[], writer: PieceWriter): Steps<void> {
  if (logs.length === 0) return
  writer.append(',"logs":')
  const list = new ListWriter(writer)
  for (const { address, topics, data, index, position } of logs) {
    list.append(`{"address":${jsonBytes(address)},"topics":[${topics.map(jsonBytes).join(',')}],"data":`)
    yield* writeBytes(data, writer)
    writer.append(`,"index":${jsonQuantity(index)},"position":${jsonQuantity(position)}}`)
    yield
  }
  list.end()
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
