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
  const start = hex.startsWith('0x') ? 2 : 0
  const bytes = new Uint8Array((hex.length - start) >> 1)
  if (bytes.length > LONGEST_READ_HERE) writeHexDigits(hex.slice(start), bytes)
  else {
    for (let i = 0, at = start; i < bytes.length; i++, at += 2) {
      bytes[i] = (digitValue(hex, at) << 4) | digitValue(hex, at + 1)
    }
  }
  return bytes
}

/** Up to this many bytes, reading the digits here takes a third of the time of a call into Node. */
const LONGEST_READ_HERE = 36

/** By the code of a digit's character. */
const digitValues = new Uint8Array(128)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  digitValues[digit.charCodeAt(0)] = value
  digitValues[digit.toUpperCase().charCodeAt(0)] = value
}

function digitValue(hex: string, at: number): number {
  return digitValues[hex.charCodeAt(at)] as number
}

/** Whether two byte strings are equal in length and content. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}
