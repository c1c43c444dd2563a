import { readHexDigits, readHexDigitsInPieces } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ReasonError, TypeMismatchError } from './decodeError.js'

const digits = /^[0-9a-fA-F]*$/

/** Whether a text begins as hexadecimal strings do; the case of the x does not count. */
export function hasPrefix(text: string): boolean {
  return text.startsWith('0x') || text.startsWith('0X')
}

/**
 * A hexadecimal byte string, two digits a byte, checked in the order of geth (common/hexutil, checkText): prefix, then
 * even length. The digits themselves are not looked at.
 *
 * @throws TypeMismatchError with the Go type `type`.
 */
function byteText(value: unknown, type: string): string {
  if (typeof value !== 'string') throw new TypeMismatchError('non-string', type)
  if (value === '') return EMPTY
  if (!hasPrefix(value)) throw new TypeMismatchError('hex string without 0x prefix', type)
  if (value.length % 2 !== 0) throw new TypeMismatchError('hex string of odd length', type)
  return value
}

/** An empty string is taken for this. */
const EMPTY = '0x'

function checked(bytes: Uint8Array | undefined, type: string): Uint8Array {
  if (bytes === undefined) throw new TypeMismatchError('invalid hex string', type)
  return bytes
}

/**
 * A byte string of any length; an empty string has no bytes.
 *
 * @throws TypeMismatchError with the Go type `type`.
 */
export function decodeBytes(value: unknown, type: string): Uint8Array {
  return checked(readHexDigits(byteText(value, type), 2), type)
}

/** The same in pieces. */
export function* decodeBytesInPieces(value: unknown, type: string): Steps<Uint8Array> {
  return checked(yield* readHexDigitsInPieces(byteText(value, type), 2), type)
}

/**
 * A byte string of a fixed length (common/hexutil, UnmarshalFixedJSON).
 *
 * @throws TypeMismatchError, or ReasonError if the length is wrong.
 */
export function decodeFixedBytes(value: unknown, length: number, type: string): Uint8Array {
  const text = byteText(value, type)
  const digitCount = text.length - 2
  if (digitCount !== length * 2) {
    throw new ReasonError(`hex string has length ${digitCount}, want ${length * 2} for ${type}`)
  }
  return checked(readHexDigits(text, 2), type)
}

/**
 * A QUANTITY of at most `bits` bits (common/hexutil, checkNumberText); an empty string is zero.
 *
 * @throws TypeMismatchError
 */
export function decodeQuantity(value: unknown, bits: 64 | 256, type: string): bigint {
  if (typeof value !== 'string') throw new TypeMismatchError('non-string', type)
  if (value === '') return 0n
  const reason = quantityMisfit(value, bits)
  if (reason !== undefined) throw new TypeMismatchError(reason, type)
  return BigInt(value.toLowerCase())
}

/** Why a text that is not empty is no QUANTITY of so many bits; undefined if it is one. */
export function quantityMisfit(text: string, bits: 64 | 256): string | undefined {
  if (!hasPrefix(text)) return 'hex string without 0x prefix'
  if (text.length === 2) return 'hex string "0x"'
  if (text.length > 3 && text[2] === '0') return 'hex number with leading zero digits'
  if (text.length - 2 > bits / 4) return `hex number > ${bits} bits`
  return digits.test(text.slice(2)) ? undefined : 'invalid hex string'
}
