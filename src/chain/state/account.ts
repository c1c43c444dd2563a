import { bytesEqual, bytesToBigint, latin1, minimalBytes } from '../../encoding/hex.js'
import { LargeMap } from '../../encoding/largeMap.js'
import { keccak256 } from '../crypto.js'
import { itemsOf, listLength, payloadOf, stringLength, writeListHeader, writeString } from '../rlp.js'
import type { AccountState } from '../types.js'
import { EMPTY_TRIE_ROOT, HASH_ITEM_LENGTH, type NodeNumber, type NodeRecord } from './nodeRecord.js'

/** Code hash of an account without code: keccak-256 of the empty string. */
export const EMPTY_CODE_HASH: Uint8Array = keccak256(new Uint8Array(0))

/** The highest nonce of an account, which can send nothing more (EIP-2681). */
export const MAX_NONCE = 2n ** 64n - 1n

/** Empty bytes: the code of an account without code, and the minimal form of a zero slot. */
export const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Encodes an account as a value of the state trie (Yellow Paper, section 4.1). `storageRoot`: 32 bytes. */
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

/** Decodes an account from its value in the state trie. The hashes are copies. */
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

/** Returns a copy without leading zeros, the form in which slots are stored. */
export function stripZeros(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === bytes.length ? NO_BYTES : bytes.slice(start)
}

/** Left-pads at most 32 bytes to exactly 32. */
export function padTo32(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 32) return bytes
  const padded = new Uint8Array(32)
  padded.set(bytes, 32 - bytes.length)
  return padded
}

/** An account without its storage. Records are immutable. */
export type AccountRecord = Readonly<Omit<AccountState, 'storageRoot'>>

/** The record of an account that was never written. */
export const EMPTY_RECORD: AccountRecord = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** Whether an account with this record counts as empty (EIP-161). */
export function isEmptyRecord({ nonce, balance, codeHash }: AccountRecord): boolean {
  return nonce === 0n && balance === 0n && bytesEqual(codeHash, EMPTY_CODE_HASH)
}

/** Joins a record and a 32-byte storage root. The single literal gives all accounts one V8 shape. */
export function accountState(
  { nonce, balance, codeHash }: AccountRecord,
  storageRoot: Uint8Array,
): AccountState {
  return { nonce, balance, storageRoot, codeHash }
}

/** Whether two accounts, or their absence, are equal apart from storage. */
export function isSameRecord(a: AccountRecord | undefined, b: AccountRecord | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && bytesEqual(a.codeHash, b.codeHash)
}

/** Whether two addresses are equal. Compares from the end, where random ones already differ. */
export function isSameAddress(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = a.length - 1; i >= 0; i--) if (a[i] !== b[i]) return false
  return true
}

const NO_CODE = { hash: EMPTY_CODE_HASH, bytes: NO_BYTES }

/** A slot in the working state. Values have no leading zeros. */
export class SlotEntry {
  /** 32 bytes. */
  readonly key: Uint8Array
  /** The value in the base: empty if the storage has been cleared since, undefined if it was overwritten unread. */
  base: Uint8Array | undefined
  value: Uint8Array
  /** The value at the start of the transaction, once requested. */
  original: Uint8Array | undefined
  /** Whether the value may differ from the base. */
  isWritten = false
  /** Whether the slot was written since the storage trie was last updated. */
  isPending = false
  /** Number of the checkpoint that last recorded how to undo a write. */
  recordedIn = 0
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

/** The storage of an account since its creation or last clearing. */
export class StorageEntry {
  /** Whether unknown slots are read from the base; otherwise they are zero. */
  isOverBase: boolean
  /** Root of the trie that includes all changes computed so far. */
  root: Uint8Array
  // Created on demand: most accounts have no storage, and empty collections are not small.
  #slots: LargeMap<SlotEntry> | undefined
  #pending: SlotEntry[] | undefined
  #written: SlotEntry[] | undefined

  constructor(root: Uint8Array) {
    this.root = bytesEqual(root, EMPTY_TRIE_ROOT) ? EMPTY_TRIE_ROOT : root
    this.isOverBase = this.root !== EMPTY_TRIE_ROOT
  }

  /** Whether nothing was ever written here, so that clearing would change nothing. */
  get isBlank(): boolean {
    return !this.isOverBase && this.#slots === undefined
  }

  /** Finds a known slot by the map key of its own key. */
  find(name: string): SlotEntry | undefined {
    return this.#slots?.get(name)
  }

  add(name: string, slot: SlotEntry): void {
    this.#slots ??= new LargeMap()
    this.#slots.set(name, slot)
  }

  /** Slots that may differ from the base: those written, not those merely read. */
  get written(): Iterable<SlotEntry> {
    return this.#written ?? []
  }

  /** Records that a slot may differ from the base and from the trie under `root`. */
  touch(slot: SlotEntry): void {
    if (!slot.isPending) {
      slot.isPending = true
      this.#pending ??= []
      this.#pending.push(slot)
    }
    if (!slot.isWritten) {
      slot.isWritten = true
      this.#written ??= []
      this.#written.push(slot)
    }
  }

  /** Makes the known values the new base. */
  rebase(): void {
    this.isOverBase = this.root !== EMPTY_TRIE_ROOT
    for (const slot of this.written) {
      slot.base = slot.value
      slot.isWritten = false
    }
    this.#written = undefined
  }

  /** Whether any slots were touched since {@link takeTouched}. */
  get isTouched(): boolean {
    return this.#pending !== undefined
  }

  /** Returns the slots touched since the last call. */
  takeTouched(): Iterable<SlotEntry> {
    const touched = this.#pending ?? []
    this.#pending = undefined
    for (const slot of touched) slot.isPending = false
    return touched
  }
}

/** An account in the working state. */
export class AccountEntry {
  /** 20 bytes. */
  readonly address: Uint8Array
  base: AccountState | undefined
  current: AccountRecord | undefined
  storage: StorageEntry
  /** The code for the code hash of `current`, once requested. */
  code: { hash: Uint8Array; bytes: Uint8Array } = NO_CODE
  /** Whether the account may differ from the base. */
  isTouched = false
  /** Whether the account was touched since the tries were last updated. */
  isPending = false
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

  /** Copies the account for another working state, with its written slots marked as not yet computed. */
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

  /** Makes the current account the new base. */
  rebase(): void {
    const { current, storage } = this
    this.base = current && accountState(current, storage.root)
    storage.rebase()
  }
}

/** The key of a storage slot, in the two forms that look-ups need. */
export interface SlotKey {
  /** 32 bytes; immutable. */
  readonly bytes: Uint8Array
  /** The same bytes as a map key. */
  readonly name: string
}

/**
 * Creates a slot key from 32 bytes, which are copied.
 *
 * @throws Error if the length is not 32
 */
export function slotKeyOf(bytes: Uint8Array): SlotKey {
  if (bytes.length !== 32) throw new Error(`A storage key has 32 bytes, not ${bytes.length}`)
  return { bytes: bytes.slice(), name: bytesKey(bytes) }
}

interface CachedAddress {
  readonly bytes: Uint8Array
  readonly key: string
}

/** Recently used addresses, indexed by their last byte. */
const known: (CachedAddress | undefined)[] = new Array<undefined>(256).fill(undefined)

/**
 * Returns the map key of a 20-byte address, equal to {@link bytesKey}.
 *
 * A call needs the keys of its sender, recipient and coinbase some ten times, and the next call needs them again.
 * Making a key calls into Node, and a map must hash each new string; a cached key was hashed once.
 */
export function addressKey(address: Uint8Array): string {
  const place = address[address.length - 1] ?? 0
  const found = known[place]
  if (found !== undefined && isSameAddress(found.bytes, address)) return found.key
  const key = bytesKey(address)
  known[place] = { bytes: address.slice(), key }
  return key
}

/** Returns bytes as a map key. */
export function bytesKey(bytes: Uint8Array): string {
  return latin1(bytes)
}

/** A cached value with its size in bytes. */
interface Sized {
  readonly length: number
}

/**
 * Estimated overhead of an entry in bytes: its key, the map slot, and the array headers inside and outside V8's heap.
 */
const ENTRY_OVERHEAD = 400

/**
 * A least-recently-used cache of byte strings, or values derived from them, with a memory limit.
 *
 * Two generations approximate the order of use. When the young one reaches half the limit, it becomes the old one, and
 * entries not read since are dropped. A hit costs one or two look-ups and no bookkeeping.
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

  /** Returns and removes the value of a key. */
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

  /** Stores a value without copying; it must own its memory and never change. */
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

/** Trie nodes read or made, by number, and codes by 32-byte hash. */
export interface StateCaches {
  nodes: ByteCache<NodeNumber, NodeRecord>
  /**
   * Nodes that a later state has replaced. Each block replaces a dozen, which would crowd out the nodes of all coming
   * states. Those of the last dozen blocks are kept for a revert; older ones are read from LevelDB. More of them would
   * outlive V8's young generation, whose collections copy whatever is alive.
   */
  replacedNodes: ByteCache<NodeNumber, NodeRecord>
  codes: ByteCache
}

/** Default size of state caches. */
const DEFAULT_CACHE_BYTES: number = 32 * 1024 * 1024

/** Shares of the memory for codes and replaced nodes; the other nodes get the rest. */
const CODE_SHARE = 1 / 4
const REPLACED_SHARE = 1 / 128

/** Creates caches with a memory limit. All chains of one database may share them; the limit then covers all of them. */
export function createStateCaches(limitBytes: number = DEFAULT_CACHE_BYTES): StateCaches {
  return {
    nodes: new ByteCache(limitBytes * (1 - CODE_SHARE - REPLACED_SHARE)),
    replacedNodes: new ByteCache(limitBytes * REPLACED_SHARE),
    codes: new ByteCache(limitBytes * CODE_SHARE),
  }
}

/** Bytes with the 32-byte hash that identifies them. */
export interface HashedBytes {
  hash: Uint8Array
  bytes: Uint8Array
}
