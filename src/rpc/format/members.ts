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
