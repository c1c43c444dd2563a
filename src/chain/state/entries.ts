import { bytesEqual } from '../../encoding/hex.js'
import { keccak256 } from '../keccak.js'
import { EMPTY_CODE_HASH, NO_BYTES } from './account.js'
import { bytesKey } from './byteCache.js'
import { EMPTY_ROOT } from './trieNode.js'
import type { AccountState } from '../types.js'

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
    this.root = bytesEqual(root, EMPTY_ROOT) ? EMPTY_ROOT : root
    this.isOverBase = this.root !== EMPTY_ROOT
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
    this.isOverBase = this.root !== EMPTY_ROOT
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
    this.storage = new StorageEntry(base?.storageRoot ?? EMPTY_ROOT)
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
    if (!this.storage.isOverBase) twin.storage = new StorageEntry(EMPTY_ROOT)
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
