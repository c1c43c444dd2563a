import { type Decoder, KindMismatchError, ReasonError, TypeMismatchError, list } from './combinators.js'
import { hexToBytes, readHexDigits, readHexDigitsInPieces } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { InvalidParamsError } from '../errors.js'

/** A byte string of any length; an empty string stands for no bytes. */
export const data: Decoder<Uint8Array> = {
  schema: { title: 'bytes', type: 'string', pattern: '^(0[xX]([0-9a-fA-F]{2})*)?$' },
  decode: (value) => decodeBytes(value, 'hexutil.Bytes'),
  decodeInPieces: (value) => decodeBytesInPieces(value, 'hexutil.Bytes'),
}

/** A byte string of a fixed length. @param type - the name of the Go type */
export function fixedBytes(length: number, type: string, title = `${length} bytes`): Decoder<Uint8Array> {
  return {
    schema: { title, type: 'string', pattern: `^0[xX][0-9a-fA-F]{${length * 2}}$` },
    decode: (value) => decodeFixedBytes(value, length, type),
  }
}

/** A signature: 65 bytes, r, s and v. */
export const signature = fixedBytes(65, 'hexutil.Bytes', 'signature')

/** A 32-byte hash. */
export const hash = fixedBytes(32, 'common.Hash', '32 byte hash')

/** An address as 20 bytes; checksums are not verified. */
export const address = fixedBytes(20, 'common.Address', 'address')

/** A value that nothing is done with. */
export const anything: Decoder<unknown> = { schema: {}, decode: (value) => value }

/** A boolean; null is false, as it is to Go. */
export const boolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (value === null) return false
    if (typeof value !== 'boolean') throw KindMismatchError.of(value, 'bool')
    return value
  },
}

/** A boolean where null is not one. */
export const strictBoolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (typeof value !== 'boolean') throw KindMismatchError.of(value, 'bool')
    return value
  },
}

/** A string under the name of the Go type that holds it; null is the empty string. */
export function text(type: string, title: string): Decoder<string> {
  return {
    schema: { title, type: 'string' },
    decode(value) {
      if (value === null) return ''
      if (typeof value !== 'string') throw KindMismatchError.of(value, type)
      return value
    },
  }
}

/** The id of a filter or subscription. */
export const filterId = text('rpc.ID', 'filter identifier')

/** A passphrase of an account; keys are not locked here, so that it means nothing. */
export const passphrase = text('string', 'passphrase')

const urlText = text('string', 'URL')

/** The URL of a node that speaks JSON-RPC over HTTP. */
export const httpUrl: Decoder<string> = {
  schema: urlText.schema,
  decode(value) {
    const url = urlText.decode(value)
    if (!/^https?:/.test(url) || !URL.canParse(url)) throw new ReasonError('expected an http or https URL')
    return url
  },
}

/** A storage key as it came; decodeStorageKey makes a slot of it. */
export const storageKey = text('string', 'storage key')

/** Storage keys as they came. */
export const storageKeys = list(storageKey, '[]string')

/** A slot of an account's storage. */
export interface StorageSlot {
  /** 32 bytes. */
  slot: Uint8Array
  /** Bytes that the caller wrote; 32 of them are echoed as a hash, fewer as a QUANTITY. */
  inputLength: number
}

/**
 * The slot that a caller's key names: leading zeros, a missing prefix and an odd number of digits are accepted, and
 * short keys are padded on the left (geth: internal/ethapi/api.go, decodeStorageKey).
 *
 * @throws InvalidParamsError without the number of the argument, for methods decode keys themselves.
 */
export function decodeStorageKey(key: string): StorageSlot {
  const digits = /^0x/i.test(key) ? key.slice(2) : key
  if (digits.length > 64) {
    throw new InvalidParamsError(`storage key too long (want at most 32 bytes): "${key}"`)
  }
  if (!/^[0-9a-f]*$/i.test(digits)) throw new InvalidParamsError(`invalid hex in storage key: "${key}"`)
  return { slot: hexToBytes(digits.padStart(64, '0')), inputLength: (digits.length + 1) >> 1 }
}

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
  const reason = invalidQuantityReason(value, bits)
  if (reason !== undefined) throw new TypeMismatchError(reason, type)
  return BigInt(value.toLowerCase())
}

/** Why a text that is not empty is no QUANTITY of so many bits; undefined if it is one. */
export function invalidQuantityReason(text: string, bits: 64 | 256): string | undefined {
  if (!hasPrefix(text)) return 'hex string without 0x prefix'
  if (text.length === 2) return 'hex string "0x"'
  if (text.length > 3 && text[2] === '0') return 'hex number with leading zero digits'
  if (text.length - 2 > bits / 4) return `hex number > ${bits} bits`
  return digits.test(text.slice(2)) ? undefined : 'invalid hex string'
}
