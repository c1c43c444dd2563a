import type { CallFrame, CallLog } from '../../chain/tracing/callTracer.js'
import { printJson } from '../json.js'
import { bytesMember, jsonBytes, jsonQuantity, quantityMember } from './members.js'

/** A frame with those within it, its members in geth's order (eth/tracers/native/call.go, callFrame). */
export function callFrameText(frame: CallFrame): string {
  const { type, from, to, input, gas, gasUsed, output, failure, revertReason, calls, logs, value } = frame
  const isFailedCreation = failure !== undefined && (type === 'CREATE' || type === 'CREATE2')
  return (
    `{"from":${jsonBytes(from)},"gas":${jsonQuantity(gas)},"gasUsed":${jsonQuantity(gasUsed)}` +
    bytesMember('to', isFailedCreation ? undefined : to) +
    `,"input":${jsonBytes(input)}` +
    bytesMember('output', output) +
    textMember('error', failure) +
    textMember('revertReason', revertReason) +
    listMember('calls', calls.map(callFrameText)) +
    listMember('logs', logs.map(callLogText)) +
    quantityMember('value', value) +
    `,"type":"${type}"}`
  )
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

function listMember(name: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `,"${name}":[${items.join(',')}]`
}
