import { type Decoder, KindMismatchError, ReasonError, TypeMismatchError, list } from './combinators.js'
import { hexToBytes, readHexDigits, readHexDigitsInSteps } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { InvalidParamsError } from '../errors.js'

/** A byte string of any length; an empty string means no bytes. */
export const data: Decoder<Uint8Array> = {
  schema: { title: 'bytes', type: 'string', pattern: '^(0[xX]([0-9a-fA-F]{2})*)?$' },
  decode: (value) => decodeBytes(value, 'hexutil.Bytes'),
  decodeInSteps: (value) => decodeBytesInSteps(value, 'hexutil.Bytes'),
}

/** Byte strings of at least this length are decoded in pieces. */
const LONG_BYTES = 64 * 1024

/** A byte string of fixed length. @param type - name of the Go type */
export function fixedBytes(length: number, type: string, title = `${length} bytes`): Decoder<Uint8Array> {
  return {
    schema: { title, type: 'string', pattern: `^0[xX][0-9a-fA-F]{${length * 2}}$` },
    decode: (value) => decodeFixedBytes(value, length, type),
    ...(length >= LONG_BYTES && {
      *decodeInSteps(value: unknown) {
        return checked(yield* readHexDigitsInSteps(fixedByteText(value, length, type), 2), type)
      },
    }),
  }
}

/** A signature: 65 bytes, r, s and v. */
export const signature = fixedBytes(65, 'hexutil.Bytes', 'signature')

/** A 32-byte hash. */
export const hash = fixedBytes(32, 'common.Hash', '32 byte hash')

/** A 20-byte address; checksums are not verified. */
export const address = fixedBytes(20, 'common.Address', 'address')

/** A value that is ignored. */
export const anything: Decoder<unknown> = { schema: {}, decode: (value) => value }

/** A boolean; null is false, like in Go. */
export const boolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (value === null) return false
    if (typeof value !== 'boolean') throw KindMismatchError.of(value, 'bool')
    return value
  },
}

/** A boolean; null is rejected. */
export const strictBoolean: Decoder<boolean> = {
  schema: { type: 'boolean' },
  decode(value) {
    if (typeof value !== 'boolean') throw KindMismatchError.of(value, 'bool')
    return value
  },
}

/** A string, with the name of its Go type; null is the empty string. */
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

/** An account's passphrase, which is ignored, as keys are not locked here. */
export const passphrase = text('string', 'passphrase')

const urlText = text('string', 'URL')

/** The URL of a JSON-RPC node over HTTP. */
export const httpUrl: Decoder<string> = {
  schema: urlText.schema,
  decode(value) {
    const url = urlText.decode(value)
    if (url.length > MAX_URL_LENGTH || !/^https?:/.test(url) || !URL.canParse(url)) {
      throw new ReasonError('expected an http or https URL')
    }
    return url
  },
}

/** Characters of a URL. Parsing megabytes would hold up other requests. */
const MAX_URL_LENGTH = 8192

/** A storage key, undecoded; see {@link decodeStorageKey}. */
export const storageKey = text('string', 'storage key')

/** Storage keys, undecoded. */
export const storageKeys = list(storageKey, '[]string')

/** A storage slot. */
export interface StorageSlot {
  /** 32 bytes. */
  slot: Uint8Array
  /** Bytes in the caller's key: 32 are echoed as a hash, fewer as a QUANTITY. */
  inputLength: number
}

/**
 * Decodes a storage key: leading zeros, a missing prefix and an odd number of digits are accepted, and short keys are
 * padded on the left (geth: internal/ethapi/api.go, decodeStorageKey).
 *
 * @throws InvalidParamsError without the argument's index, as in geth, whose methods decode keys themselves
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

/** Whether a text starts with the prefix of hexadecimal strings, in either case. */
export function hasPrefix(text: string): boolean {
  return text.startsWith('0x') || text.startsWith('0X')
}

/**
 * Checks a hexadecimal byte string in geth's order (common/hexutil, checkText): prefix, then even length. The digits
 * are not checked.
 *
 * @throws TypeMismatchError with the Go type `type`
 */
function byteText(value: unknown, type: string): string {
  if (typeof value !== 'string') throw new TypeMismatchError('non-string', type)
  if (value === '') return EMPTY
  if (!hasPrefix(value)) throw new TypeMismatchError('hex string without 0x prefix', type)
  if (value.length % 2 !== 0) throw new TypeMismatchError('hex string of odd length', type)
  return value
}

/** Replaces an empty string. */
const EMPTY = '0x'

function checked(bytes: Uint8Array | undefined, type: string): Uint8Array {
  if (bytes === undefined) throw new TypeMismatchError('invalid hex string', type)
  return bytes
}

/**
 * Decodes a byte string of any length; an empty string means no bytes.
 *
 * @throws TypeMismatchError with the Go type `type`
 */
function decodeBytes(value: unknown, type: string): Uint8Array {
  return checked(readHexDigits(byteText(value, type), 2), type)
}

/** Incremental version of {@link decodeBytes}: yields between pieces. */
function* decodeBytesInSteps(value: unknown, type: string): Steps<Uint8Array> {
  return checked(yield* readHexDigitsInSteps(byteText(value, type), 2), type)
}

/**
 * Decodes a byte string of fixed length (common/hexutil, UnmarshalFixedJSON).
 *
 * @throws TypeMismatchError, or ReasonError if the length is wrong
 */
function decodeFixedBytes(value: unknown, length: number, type: string): Uint8Array {
  return checked(readHexDigits(fixedByteText(value, length, type), 2), type)
}

function fixedByteText(value: unknown, length: number, type: string): string {
  const text = byteText(value, type)
  const digitCount = text.length - 2
  if (digitCount === length * 2) return text
  throw new ReasonError(`hex string has length ${digitCount}, want ${length * 2} for ${type}`)
}

/**
 * Decodes a QUANTITY of at most `bits` bits (common/hexutil, checkNumberText); an empty string is zero.
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

/** Explains why a non-empty text is not a QUANTITY of at most `bits` bits; undefined if it is one. */
export function invalidQuantityReason(text: string, bits: 64 | 256): string | undefined {
  if (!hasPrefix(text)) return 'hex string without 0x prefix'
  if (text.length === 2) return 'hex string "0x"'
  if (text.length > 3 && text[2] === '0') return 'hex number with leading zero digits'
  if (text.length - 2 > bits / 4) return `hex number > ${bits} bits`
  return digits.test(text.slice(2)) ? undefined : 'invalid hex string'
}
