import { textMember } from '../format/textMember.js'
import type { WirePiece } from '../wire.js'

/** Digits that are left of a transaction's data: 0x and the selector. */
const SELECTOR_DIGITS = 10

/** A transaction's object with no more of its data than the selector. */
export function shortTransaction(wire: Uint8Array): WirePiece[] {
  const input = textMember(wire, 'input')
  if (input === undefined || input.end - input.start <= SELECTOR_DIGITS) return [wire]
  return [wire.subarray(0, input.start + SELECTOR_DIGITS), wire.subarray(input.end)]
}

/** A receipt's object without its logs and their bloom filter. @param timestamp - of its block, seconds */
export function shortReceipt(wire: Uint8Array, timestamp: bigint): WirePiece[] {
  const logs = Buffer.from(wire.buffer, wire.byteOffset, wire.length).indexOf(',"logs":[')
  const bloom = textMember(wire, 'logsBloom', logs)
  if (bloom === undefined) throw new Error('a receipt has logs and a bloom filter')
  const rest = wire.subarray(bloom.end + 1, -1)
  return [wire.subarray(0, logs), rest, `,"timestamp":${timestamp},"logs":null,"logsBloom":null}`]
}

/** A receipt's object with the time of its block, which is in seconds. */
export function timedReceipt(wire: Uint8Array, timestamp: bigint): WirePiece[] {
  return [wire.subarray(0, -1), `,"timestamp":${timestamp}}`]
}
