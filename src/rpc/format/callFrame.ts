import type { CallFrame, CallLog } from '../../chain/tracing/callTracer.js'
import { printJson } from '../json.js'
import type { WirePiece } from '../wire.js'
import { bytesMember, jsonBytes, jsonQuantity, quantityMember } from './members.js'
import { PieceWriter } from './pieceWriter.js'

/** A frame with those within it, its members in geth's order (eth/tracers/native/call.go, callFrame). */
export function callFramePieces(frame: CallFrame): readonly WirePiece[] {
  const writer = new PieceWriter()
  writeFrame(frame, writer)
  return writer.pieces()
}

function writeFrame(frame: CallFrame, writer: PieceWriter): void {
  const { type, from, to, input, gas, gasUsed, output, failure, revertReason, calls, logs, value } = frame
  const isFailedCreation = failure !== undefined && (type === 'CREATE' || type === 'CREATE2')
  writer.append(
    `{"from":${jsonBytes(from)},"gas":${jsonQuantity(gas)},"gasUsed":${jsonQuantity(gasUsed)}` +
      bytesMember('to', isFailedCreation ? undefined : to) +
      `,"input":${jsonBytes(input)}` +
      bytesMember('output', output) +
      textMember('error', failure) +
      textMember('revertReason', revertReason),
  )
  calls.forEach((call, index) => {
    writer.append(index === 0 ? ',"calls":[' : ',')
    writeFrame(call, writer)
  })
  if (calls.length > 0) writer.append(']')
  logs.forEach((log, index) => writer.append((index === 0 ? ',"logs":[' : ',') + callLogText(log)))
  if (logs.length > 0) writer.append(']')
  writer.append(`${quantityMember('value', value)},"type":"${type}"}`)
}

function callLogText({ address, topics, data, index, position }: CallLog): string {
  return (
    `{"address":${jsonBytes(address)},"topics":[${topics.map(jsonBytes).join(',')}],"data":${jsonBytes(data)}` +
    `,"index":${jsonQuantity(index)},"position":${jsonQuantity(position)}}`
  )
}

function textMember(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":${printJson(text)}`
}
