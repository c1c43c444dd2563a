import type { CallFrame } from '../../chain/tracing/callTracer.js'
import { printJson } from '../json.js'
import { bytesMember, jsonBytes, jsonQuantity, quantityMember } from './members.js'
import { parityWords } from './parityWords.js'
import type { TracePlace } from './tracePlace.js'

/** How flat calls are shown. */
export interface FlatCallOptions {
  convertParityErrors: boolean
}

const REVERTED = 'execution reverted'
const NO_BYTES = new Uint8Array(0)

/** A frame and those within it in one list, each behind the one around it, in Parity's form (geth: native/call_flat.go). */
export function flatCallsText(top: CallFrame, place: TracePlace, options: FlatCallOptions): string {
  const texts: string[] = []
  const add = (frame: CallFrame, traceAddress: readonly number[]): void => {
    texts.push(flatCallText(frame, traceAddress, place, options))
    frame.calls.forEach((call, index) => add(call, [...traceAddress, index]))
  }
  add(top, [])
  return `[${texts.join(',')}]`
}

function flatCallText(
  frame: CallFrame,
  traceAddress: readonly number[],
  { blockHash, blockNumber, transactionHash, transactionIndex }: TracePlace,
  { convertParityErrors }: FlatCallOptions,
): string {
  const { failure, calls } = frame
  const keepsResult = failure === undefined || failure === REVERTED
  const words = failure !== undefined && convertParityErrors ? parityWords(failure) : failure
  return (
    `{"action":${actionText(frame)},"blockHash":${hashOrNull(blockHash)},"blockNumber":${blockNumber}` +
    (words === undefined ? '' : `,"error":${printJson(words)}`) +
    (keepsResult && frame.type !== 'SELFDESTRUCT' ? `,"result":${resultText(frame)}` : '') +
    `,"subtraces":${calls.length},"traceAddress":[${traceAddress.join(',')}]` +
    `,"transactionHash":${hashOrNull(transactionHash)},"transactionPosition":${transactionIndex}` +
    `,"type":"${kindOf(frame)}"}`
  )
}

function kindOf({ type }: CallFrame): 'call' | 'create' | 'suicide' {
  if (type === 'SELFDESTRUCT') return 'suicide'
  return isCreation(type) ? 'create' : 'call'
}

function isCreation(type: CallFrame['type']): boolean {
  return type === 'CREATE' || type === 'CREATE2'
}

function actionText({ type, from, to, gas, input, value = 0n }: CallFrame): string {
  if (type === 'SELFDESTRUCT') {
    return `{"address":${jsonBytes(from)},"balance":${jsonQuantity(value)},"refundAddress":${jsonBytes(to)}}`
  }
  const creates = isCreation(type)
  return (
    `{"${creates ? 'creationMethod' : 'callType'}":"${type.toLowerCase()}"` +
    `,"from":${jsonBytes(from)},"gas":${jsonQuantity(gas)},"${creates ? 'init' : 'input'}":${jsonBytes(input)}` +
    bytesMember('to', creates ? undefined : to) +
    `${quantityMember('value', value)}}`
  )
}

function resultText({ type, to, gasUsed, output = NO_BYTES, failure }: CallFrame): string {
  const used = `"gasUsed":${jsonQuantity(gasUsed)}`
  if (!isCreation(type)) return `{${used},"output":${jsonBytes(output)}}`
  const address = failure === undefined ? `"address":${jsonBytes(to)},` : ''
  return `{${address}"code":${jsonBytes(output)},${used}}`
}

function hashOrNull(hash: Uint8Array | undefined): string {
  return hash === undefined ? 'null' : jsonBytes(hash)
}
