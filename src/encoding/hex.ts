import { hexDigits, writeHexDigits } from './bytes.js'
import type { Steps } from './timeSlice.js'

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

/**
 * The bytes behind hexadecimal digits that nobody has checked, two a byte, from a place in a text on.
 *
 * @returns undefined if something other than digits is among them
 */
export function readHexDigits(text: string, start: number): Uint8Array | undefined {
  const length = (text.length - start) >> 1
  if (length > LONGEST_READ_HERE) {
    const digits = text.slice(start)
    return onlyDigits.test(digits) ? hexToBytes(digits) : undefined
  }
  const bytes = new Uint8Array(length)
  let all = 0
  for (let i = 0, at = start; i < length; i++, at += 2) {
    const upper = checkedDigitValue(text, at)
    const lower = checkedDigitValue(text, at + 1)
    all |= upper | lower
    bytes[i] = (upper << 4) | lower
  }
  return all < NO_DIGIT ? bytes : undefined
}

/** The same in pieces, for digits that may be so many that other work would wait for them. */
export function* readHexDigitsInPieces(text: string, start: number): Steps<Uint8Array | undefined> {
  if (text.length - start <= DIGITS_AT_ONCE) return readHexDigits(text, start)
  const bytes = new Uint8Array((text.length - start) >> 1)
  for (let at = start; at < text.length; at += DIGITS_AT_ONCE) {
    const digits = text.slice(at, at + DIGITS_AT_ONCE)
    if (!onlyDigits.test(digits)) return undefined
    writeHexDigits(digits, bytes.subarray((at - start) >> 1))
    yield
  }
  return bytes
}

/** Digits that are read in one piece. */
const DIGITS_AT_ONCE = 128 * 1024

const onlyDigits = /^[0-9a-fA-F]*$/

/** Up to this many bytes, reading the digits here takes a third of the time of a call into Node. */
const LONGEST_READ_HERE = 36

/** By the code of a digit's character. */
const digitValues = new Uint8Array(128)
const NO_DIGIT = 16
/** The same with {@link NO_DIGIT} for all other characters. */
const checkedDigitValues = new Uint8Array(128).fill(NO_DIGIT)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  digitValues[digit.charCodeAt(0)] = value
  digitValues[digit.toUpperCase().charCodeAt(0)] = value
  checkedDigitValues[digit.charCodeAt(0)] = value
  checkedDigitValues[digit.toUpperCase().charCodeAt(0)] = value
}

function digitValue(hex: string, at: number): number {
  return digitValues[hex.charCodeAt(at)] as number
}

function checkedDigitValue(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code < checkedDigitValues.length ? (checkedDigitValues[code] as number) : NO_DIGIT
}

/** Whether two byte strings are equal in length and content. */
export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0
}
