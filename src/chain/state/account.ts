import { bytesEqual } from '../../encoding/hex.js'
import { bytesToBigint, minimalBytes } from '../../encoding/quantity.js'
import { keccak256 } from '../keccak.js'
import { itemsOf, listLength, payloadOf, stringLength, writeListHeader, writeString } from '../rlp.js'
import { EMPTY_ROOT } from './trieNode.js'
import type { AccountState } from '../types.js'

/** The code hash of an account without code: keccak-256 of no bytes. */
export const EMPTY_CODE_HASH: Uint8Array = keccak256(new Uint8Array(0))

/** What a hash takes in a list. */
const HASH_ITEM_LENGTH = 33

/** No bytes: the code of an account without code, the minimal form of a zero slot. */
export const NO_BYTES: Uint8Array = new Uint8Array(0)

/** The value of an account in the state trie (Yellow Paper, section 4.1). `storageRoot`: 32 bytes. */
export function encodeAccount(
  { nonce, balance, codeHash }: Omit<AccountState, 'storageRoot'>,
  storageRoot: Uint8Array,
): Uint8Array {
  const nonceBytes = minimalBytes(nonce)
  const balanceBytes = minimalBytes(balance)
  const length = stringLength(nonceBytes) + stringLength(balanceBytes) + 2 * HASH_ITEM_LENGTH
  const value = new Uint8Array(listLength(length))
  let position = writeListHeader(value, length)
  position = writeString(value, position, nonceBytes)
  position = writeString(value, position, balanceBytes)
  position = writeString(value, position, storageRoot)
  writeString(value, position, codeHash)
  return value
}

/** An account from its value in the state trie; its hashes are in memory of their own. */
export function decodeAccount(rlp: Uint8Array): AccountState {
  const [nonce = NO_BYTES, balance = NO_BYTES, storageRoot = NO_BYTES, codeHash = NO_BYTES] =
    itemsOf(rlp).map(payloadOf)
  return {
    nonce: bytesToBigint(nonce),
    balance: bytesToBigint(balance),
    storageRoot: bytesEqual(storageRoot, EMPTY_ROOT) ? EMPTY_ROOT : storageRoot.slice(),
    codeHash: bytesEqual(codeHash, EMPTY_CODE_HASH) ? EMPTY_CODE_HASH : codeHash.slice(),
  }
}

/** A copy of bytes without their leading zeros: the form in which slots are stored. */
export function stripZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === bytes.length ? NO_BYTES : bytes.slice(start)
}

/** At most 32 bytes as exactly 32, with leading zeros. */
export function padTo32(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 32) return bytes
  const padded = new Uint8Array(32)
  padded.set(bytes, 32 - bytes.length)
  return padded
}
