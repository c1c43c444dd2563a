import { bytesEqual, bytesToBigint, latin1, minimalBytes } from '../../encoding/hex.js'
import { keccak256 } from '../crypto.js'
import { itemsOf, listLength, payloadOf, stringLength, writeListHeader, writeString } from '../rlp.js'
import type { AccountState } from '../types.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'

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
    storageRoot: bytesEqual(storageRoot, EMPTY_TRIE_ROOT) ? EMPTY_TRIE_ROOT : storageRoot.slice(),
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

/** The largest balance: balances are 256-bit numbers. */
export const MAX_BALANCE = 2n ** 256n - 1n

/** A balance after a credit that cannot be refused: it stops at the largest value, as in anvil. */
export function increased(balance: bigint, wei: bigint): bigint {
  const sum = balance + wei
  return sum > MAX_BALANCE ? MAX_BALANCE : sum
}

/** What an account is made of beside its storage. Records are replaced, never changed. */
export type AccountRecord = Readonly<Omit<AccountState, 'storageRoot'>>

/** The record of an account that was never written to. */
export const EMPTY_RECORD: AccountRecord = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** Whether an account with this record is as good as none (EIP-161). */
export function isEmptyRecord({ nonce, balance, codeHash }: AccountRecord): boolean {
  return nonce === 0n && balance === 0n && bytesEqual(codeHash, EMPTY_CODE_HASH)
}

/** An account with the 32-byte root of its storage: one literal, so that V8 gives all of them one shape. */
export function accountState(
  { nonce, balance, codeHash }: AccountRecord,
  storageRoot: Uint8Array,
): AccountState {
  return { nonce, balance, storageRoot, codeHash }
}

/** Whether two accounts, or their absence, are the same apart from storage. */
export function isSameRecord(a: AccountRecord | undefined, b: AccountRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && bytesEqual(a.codeHash, b.codeHash)
}

/** Whether two addresses are the same. Random ones differ in their last byte already. */
export function isSameAddress(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false
  return true
}

const NO_CODE = { hash: EMPTY_CODE_HASH, bytes: NO_BYTES }

/** One slot as the working state knows it. Values are minimal: without leading zeros. */
export class SlotEntry {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** The value in the base, none if the storage was cleared over it; undefined if it was overwritten unread. */
  base: Uint8Array | undefined
  value: Uint8Array
  /** The value when the transaction began, once it was asked for. */
  original: Uint8Array | undefined
  #hashedKey: Uint8Array | undefined

  constructor(key: Uint8Array, base: Uint8Array | undefined) {
    this.key = key
    this.base = base
    this.value = base ?? NO_BYTES
  }

  /** The key in the storage trie. */
  get hashedKey(): Uint8Array {
    return (this.#hashedKey ??= keccak256(this.key))
  }
}

/** The storage of one account from its creation or clearing on. */
export class StorageEntry {
  /** Whether slots that are not known here are those of the base; otherwise they are zero. */
  isOverBase: boolean
  /** The root of the trie that all computed changes have gone into. */
  root: Uint8Array
  // Most accounts have no storage, and empty collections are not small.
  #slots: Map<string, SlotEntry> | undefined
  #pending: Set<SlotEntry> | undefined
  #written: Set<SlotEntry> | undefined

  constructor(root: Uint8Array) {
    this.root = bytesEqual(root, EMPTY_TRIE_ROOT) ? EMPTY_TRIE_ROOT : root
    this.isOverBase = this.root !== EMPTY_TRIE_ROOT
  }

  /** Whether nothing was ever written here, so that clearing changes nothing. */
  get isBlank(): boolean {
    return !this.isOverBase && this.#slots === undefined
  }

  /** A slot that is known, by the map key of its own key. */
  find(name: string): SlotEntry | undefined {
    return this.#slots?.get(name)
  }

  add(name: string, slot: SlotEntry): void {
    this.#slots ??= new Map()
    this.#slots.set(name, slot)
  }

  /** The slots that may differ from the base: those that were written, and not those that were only read. */
  get written(): Iterable<SlotEntry> {
    return this.#written ?? []
  }

  /** Says that a slot may differ from the base and from the trie under `root`. */
  touch(slot: SlotEntry): void {
    this.#pending ??= new Set()
    this.#pending.add(slot)
    this.#written ??= new Set()
    this.#written.add(slot)
  }

  /** Makes what is known the base of what follows. */
  rebase(): void {
    this.isOverBase = this.root !== EMPTY_TRIE_ROOT
    for (const slot of this.written) slot.base = slot.value
    this.#written = undefined
  }

  /** Whether slots were touched since they were last taken. */
  get isTouched(): boolean {
    return this.#pending !== undefined
  }

  /** The slots that were touched since they were last taken. */
  takeTouched(): Iterable<SlotEntry> {
    const touched = this.#pending ?? []
    this.#pending = undefined
    return touched
  }
}

/** One account as the working state knows it. */
export class AccountEntry {
  /** 20 bytes. */
  readonly address: Uint8Array
  base: AccountState | undefined
  current: AccountRecord | undefined
  storage: StorageEntry
  /** The code with the hash of `current`, once it was asked for. */
  code: { hash: Uint8Array; bytes: Uint8Array } = NO_CODE
  #hashedKey: Uint8Array | undefined

  constructor(address: Uint8Array, base: AccountState | undefined) {
    this.address = address
    this.base = base
    this.current = base
    this.storage = new StorageEntry(base?.storageRoot ?? EMPTY_TRIE_ROOT)
  }

  /** The key in the state trie. */
  get hashedKey(): Uint8Array {
    return (this.#hashedKey ??= keccak256(this.address))
  }

  /** The same account in another working state, with nothing computed of what was written. */
  copy(): AccountEntry {
    const twin = new AccountEntry(this.address, this.base)
    twin.current = this.current
    twin.code = this.code
    if (!this.storage.isOverBase) twin.storage = new StorageEntry(EMPTY_TRIE_ROOT)
    for (const { key, base, value } of this.storage.written) {
      const slot = new SlotEntry(key, base)
      slot.value = value
      twin.storage.add(bytesKey(key), slot)
      twin.storage.touch(slot)
    }
    return twin
  }

  /** Makes what is known the base of what follows. */
  rebase(): void {
    const { current, storage } = this
    this.base = current && accountState(current, storage.root)
    storage.rebase()
  }
}

/** The key of a storage slot in the two forms that look-ups need. */
export interface SlotKey {
  /** 32 bytes, which stay as they are. */
  readonly bytes: Uint8Array
  /** The same as a map's key. */
  readonly name: string
}

/**
 * The key of 32 bytes, which are copied.
 *
 * @throws Error if there are more or fewer.
 */
export function slotKeyOf(bytes: Uint8Array): SlotKey {
  if (bytes.length !== 32) throw new Error(`A storage key has 32 bytes, not ${bytes.length}`)
  return { bytes: bytes.slice(), name: bytesKey(bytes) }
}

interface CachedAddress {
  readonly bytes: Uint8Array
  readonly key: string
}

/** Addresses that were asked for lately, each at the place that its last byte names. */
const known: (CachedAddress | undefined)[] = new Array<undefined>(256).fill(undefined)

/**
 * An address of 20 bytes as a map's key, the same as {@link bytesKey} makes.
 *
 * A call asks some ten times for the keys of its sender, its recipient and the coinbase, and the next call again. Making
 * a key is a call into Node, and the new text has to be hashed before a map finds it: a key that is kept was hashed once.
 */
export function addressKey(address: Uint8Array): string {
  const place = address[address.length - 1] ?? 0
  const found = known[place]
  if (found !== undefined && isSameAddress(found.bytes, address)) return found.key
  const key = bytesKey(address)
  known[place] = { bytes: address.slice(), key }
  return key
}

/** Bytes as a map's key. */
export function bytesKey(bytes: Uint8Array): string {
  return latin1(bytes)
}

/** What a cache keeps, with its size in bytes. */
interface Sized {
  readonly length: number
}

/** What an entry costs beside its bytes: its key, the map's slot, the array's headers in and beside V8's heap. */
const ENTRY_OVERHEAD = 400

/**
 * Byte strings, or what is made of them, by key, within a limit of memory; what was not used for long goes first.
 *
 * Two generations stand in for an exact order of use: when the young one has half of the limit, it becomes the old
 * one, and what was not read since then is gone. A hit costs one or two look-ups and no bookkeeping.
 */
export class ByteCache<Key extends string | number = string, Value extends Sized = Uint8Array> {
  readonly #generationBytes: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #youngBytes = 0

  constructor(limitBytes: number) {
    this.#generationBytes = limitBytes / 2
  }

  get(key: Key): Value | undefined {
    const found = this.#young.get(key)
    if (found !== undefined) return found
    const aged = this.#old.get(key)
    if (aged !== undefined) this.set(key, aged)
    return aged
  }

  /** Gives what a key stands for and forgets it. */
  take(key: Key): Value | undefined {
    const found = this.#young.get(key)
    if (found === undefined) {
      const aged = this.#old.get(key)
      if (aged !== undefined) this.#old.delete(key)
      return aged
    }
    this.#young.delete(key)
    this.#old.delete(key)
    this.#youngBytes -= found.length + ENTRY_OVERHEAD
    return found
  }

  /** Keeps bytes as they are given: they own their memory and stay unchanged. */
  set(key: Key, value: Value): void {
    const before = this.#young.get(key)
    this.#young.set(key, value)
    this.#youngBytes += before === undefined ? value.length + ENTRY_OVERHEAD : value.length - before.length
    if (this.#youngBytes < this.#generationBytes) return
    this.#old = this.#young
    this.#young = new Map()
    this.#youngBytes = 0
  }
}

/** Bytes under the 32-byte hash that names them. */
export interface HashedBytes {
  hash: Uint8Array
  bytes: Uint8Array
}
