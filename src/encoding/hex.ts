import { hexDigits, writeHexDigits } from './nativeText.js'

/** A string of lower-case hexadecimal digits behind `0x`. */
export type Hex = `0x${string}`

/** Bytes as lower-case hexadecimal behind `0x`, two digits a byte; no bytes give `0x`. */
export function bytesToHex(bytes: Uint8Array): Hex {
  return `0x${bytesToPlainHex(bytes)}`
}

/** Bytes as lower-case hexadecimal without a prefix: the form used for keys of maps. */
export function bytesToPlainHex(bytes: Uint8Array): string {
  return hexDigits(bytes)
}

/**
 * The bytes behind a hexadecimal string with or without `0x`.
 *
 * The caller has checked the digits: this is for values that the program made or already decoded.
 * The result does not share the memory of Node's buffer pool, so it may be kept.
 */
export function hexToBytes(hex: string): Uint8Array {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  const bytes = new Uint8Array(digits.length >> 1)
  writeHexDigits(digits, bytes)
  return bytes
}

/** Whether two byte strings are equal in length and content. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}
