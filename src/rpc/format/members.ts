import type { SealedBlock } from '../../chain/block/record.js'
import { bytesToPlainHex } from '../../encoding/hex.js'

/** A byte string as JSON text: hexadecimal in quotes. */
export function jsonBytes(bytes: Uint8Array): string {
  return `"0x${bytesToPlainHex(bytes)}"`
}

/** A number as JSON text: a QUANTITY in quotes. */
export function jsonQuantity(value: bigint | number): string {
  return `"0x${value.toString(16)}"`
}

/** The member `,"name":"0x…"` of a byte string, or nothing where there is none. */
export function bytesMember(name: string, bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : `,"${name}":${jsonBytes(bytes)}`
}

/** The member `,"name":"0x…"` of a number, or nothing where there is none. */
export function quantityMember(name: string, value: bigint | number | undefined): string {
  return value === undefined ? '' : `,"${name}":${jsonQuantity(value)}`
}

/** Where in a block something is, as JSON texts that are made once for all its transactions and logs. */
export interface BlockPlace {
  hash: string
  number: string
  timestamp: string
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
}

/** The place of what a block holds. */
export function placeInBlock({ hash, header }: Pick<SealedBlock, 'hash' | 'header'>): BlockPlace {
  return {
    hash: jsonBytes(hash),
    number: jsonQuantity(header.number),
    timestamp: jsonQuantity(header.timestamp),
    baseFee: header.baseFeePerGas,
  }
}

/** Where a text lies in bytes. */
export interface TextSpan {
  start: number
  end: number
}

/**
 * Where the value of a member lies between its quotes. It is for the wire bytes of transactions and receipts, in which no
 * text stands that anybody could have chosen: it is not worth parsing them for a member or two.
 *
 * @param from - where the search begins
 */
export function textMember(wire: Uint8Array, name: string, from = 0): TextSpan | undefined {
  const bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.length)
  const key = `"${name}":"`
  const at = bytes.indexOf(key, from, 'latin1')
  if (at < 0) return undefined
  const start = at + key.length
  return { start, end: bytes.indexOf('"', start, 'latin1') }
}
