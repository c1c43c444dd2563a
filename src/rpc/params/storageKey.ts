import { hexToBytes } from '../../encoding/hex.js'
import { InvalidParamsError } from '../errors.js'
import { list } from './combinators.js'
import { text } from './scalars.js'

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
