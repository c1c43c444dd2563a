import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import type { StateView } from '../types.js'
import {
  AccountEntry,
  type AccountRecord,
  NO_BYTES,
  SlotEntry,
  type SlotKey,
  StorageEntry,
  addressKey,
  bytesKey,
  isSameAddress,
  isSameRecord,
  stripZeros,
} from './account.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { type TrieStateView } from './stateStore.js'

/** If more accounts and slots than this are known, the next rebase forgets them all. */
const MAX_KNOWN = 10_000

/** The view that becomes the next base, and that learns which accounts changed. */
export type NextBase = StateView & Pick<TrieStateView, 'know'>

/**
 * A flat cache of accounts and slots over a base, with an undo log.
 *
 * Reads return a promise only where the base does. A checkpoint costs two numbers, a commit nothing, and a revert only
 * what was written since. Changes outside checkpoints are not journaled and cannot be undone.
 */
export class JournaledState {
  #base: StateView
  #entries = new Map<string, AccountEntry>()
  /** The two most recent entries: a message keeps asking for its sender and recipient. */
  #latest: AccountEntry | undefined
  #earlier: AccountEntry | undefined
  /** Number of accounts and slots read or written since they were last forgotten. */
  #known = 0
  // Lists, not sets, which take tens of milliseconds to grow at hundreds of thousands of entries.
  #touched: AccountEntry[] = []
  #pending: AccountEntry[] = []
  readonly #undo: (() => void)[] = []
  readonly #checkpoints: { number: number; undoLength: number }[] = []
  #checkpointCount = 0
  #slotsWithOriginal: SlotEntry[] = []

  constructor(base: StateView) {
    this.#base = base
  }

  /** The underlying state for everything that was not written. */
  get base(): StateView {
    return this.#base
  }

  /** Entries that may differ from the base. */
  get touched(): readonly AccountEntry[] {
    return this.#touched
  }

  /** Returns the entry of a 20-byte address. */
  entry(address: Uint8Array): Awaitable<AccountEntry> {
    const latest = this.#latest
    if (latest !== undefined && isSameAddress(latest.address, address)) return latest
    const earlier = this.#earlier
    if (earlier !== undefined && isSameAddress(earlier.address, address)) {
      this.#latest = earlier
      this.#earlier = latest
      return earlier
    }
    const key = addressKey(address)
    const known = this.#entries.get(key)
    if (known === undefined) return this.#readEntry(address, key)
    this.#earlier = latest
    this.#latest = known
    return known
  }

  #readEntry(address: Uint8Array, key: string): Awaitable<AccountEntry> {
    return whenReady(this.#base.getAccount(address), (base) => {
      const entry = this.#entries.get(key) ?? new AccountEntry(address.slice(), base)
      this.#entries.set(key, entry)
      this.#known++
      return entry
    })
  }

  #forgetLatest(): void {
    this.#latest = undefined
    this.#earlier = undefined
  }

  /** Returns a slot of an account. */
  slot(entry: AccountEntry, { bytes, name }: SlotKey): Awaitable<SlotEntry> {
    const { storage } = entry
    const known = storage.find(name)
    if (known !== undefined) return known
    const value = storage.isOverBase ? this.#base.getStorage(entry.address, bytes) : NO_BYTES
    return whenReady(value, (base) => {
      const slot = storage.find(name) ?? new SlotEntry(bytes, stripZeros(base))
      storage.add(name, slot)
      this.#known++
      return slot
    })
  }

  /** Sets a 32-byte slot outside any checkpoint without reading its old value. */
  overwriteSlot(entry: AccountEntry, key: Uint8Array, bytes: Uint8Array): void {
    this.#checkNoCheckpoint()
    const name = bytesKey(key)
    let slot = entry.storage.find(name)
    if (slot === undefined) {
      slot = new SlotEntry(key, undefined)
      entry.storage.add(name, slot)
      this.#known++
    }
    this.setSlot(entry, slot, bytes)
  }

  /** Replaces an account's record; undefined removes the account, but not its storage. */
  setRecord(entry: AccountEntry, record: AccountRecord | undefined): void {
    const before = entry.current
    if (isSameRecord(before, record)) return
    this.#putRecord(entry, record)
    if (this.#isJournaling) this.#undo.push(() => this.#putRecord(entry, before))
  }

  #putRecord(entry: AccountEntry, record: AccountRecord | undefined): void {
    entry.current = record
    this.#touch(entry)
  }

  /** Sets a slot to a value of at most 32 bytes, which is copied. */
  setSlot(entry: AccountEntry, slot: SlotEntry, bytes: Uint8Array): void {
    if (entry.current === undefined)
      throw new Error('Cannot write to the storage of an account that does not exist')
    if (bytes.length > 32) throw new Error(`A storage value has at most 32 bytes, not ${bytes.length}`)
    const before = slot.value
    this.#putSlot(entry, slot, stripZeros(bytes))
    const checkpoint = this.#checkpoints.at(-1)
    // Code may write to one slot millions of times.
    if (checkpoint === undefined || slot.recordedIn === checkpoint.number) return
    slot.recordedIn = checkpoint.number
    this.#undo.push(() => this.#putSlot(entry, slot, before))
  }

  #putSlot(entry: AccountEntry, slot: SlotEntry, value: Uint8Array): void {
    slot.value = value
    entry.storage.touch(slot)
    this.#touch(entry)
  }

  /**
   * Returns the value of a slot when a transaction first asked for it. SSTORE asks before it writes, so writes outside
   * transactions, such as in the genesis or at the start of a block, belong to no transaction.
   */
  originalOf(slot: SlotEntry): Uint8Array {
    if (slot.original === undefined) {
      slot.original = slot.value
      this.#slotsWithOriginal.push(slot)
    }
    return slot.original
  }

  /** Sets all slots of an account to zero. */
  clearSlots(entry: AccountEntry): void {
    const before = entry.storage
    if (before.isBlank) return
    this.#putStorage(entry, new StorageEntry(EMPTY_TRIE_ROOT))
    if (this.#isJournaling) this.#undo.push(() => this.#putStorage(entry, before))
  }

  #putStorage(entry: AccountEntry, storage: StorageEntry): void {
    entry.storage = storage
    this.#touch(entry)
  }

  /** Number of checkpoints neither committed nor reverted. */
  get openCheckpoints(): number {
    return this.#checkpoints.length
  }

  checkpoint(): void {
    this.#checkpoints.push({ number: ++this.#checkpointCount, undoLength: this.#undo.length })
  }

  /** Keeps what was written since the last checkpoint. Committing the outermost one ends the transaction. */
  commit(): void {
    this.#checkpoints.pop()
    if (this.#checkpoints.length > 0) return
    this.#undo.length = 0
    this.forgetOriginals()
  }

  /** Undoes what was written since the last checkpoint. */
  revert(): void {
    const { undoLength = 0 } = this.#checkpoints.pop() ?? {}
    while (this.#undo.length > undoLength) this.#undo.pop()?.()
    if (this.#checkpoints.length === 0) this.forgetOriginals()
  }

  /** Ends a transaction: the next one starts with new original values. */
  forgetOriginals(): void {
    for (const slot of this.#slotsWithOriginal) slot.original = undefined
    this.#slotsWithOriginal = []
  }

  /** Returns the entries touched since the last call. */
  takePending(): Iterable<AccountEntry> {
    const pending = this.#pending
    this.#pending = []
    for (const entry of pending) entry.isPending = false
    return pending
  }

  /** Makes the current state the new base. `base` must read the same, and learns what changed. */
  rebase(base: NextBase): void {
    if (this.#known > MAX_KNOWN) return this.restart(base)
    this.#checkNoCheckpoint()
    this.#base = base
    for (const entry of this.#touched) {
      entry.rebase()
      base.know(bytesKey(entry.address), entry.base)
    }
    this.#forgetChanges()
  }

  /** Drops everything, including writes, and switches to another base. */
  restart(base: StateView): void {
    this.#checkNoCheckpoint()
    this.#base = base
    this.#entries.clear()
    this.#forgetLatest()
    this.#known = 0
    this.#forgetChanges()
  }

  /** Number of known accounts and slots. */
  get known(): number {
    return this.#known
  }

  /** Forgets everything that was only read. */
  forgetReads(): void {
    this.#forgetLatest()
    this.#entries = new Map(this.#touched.map((entry) => [bytesKey(entry.address), entry]))
  }

  /** Copies the changes into another state on the same base, without checkpoints. */
  copy(): JournaledState {
    const copy = new JournaledState(this.#base)
    for (const entry of this.#touched) {
      const twin = entry.copy()
      copy.#entries.set(bytesKey(entry.address), twin)
      copy.#touch(twin)
    }
    return copy
  }

  #touch(entry: AccountEntry): void {
    if (!entry.isTouched) {
      entry.isTouched = true
      this.#touched.push(entry)
    }
    if (!entry.isPending) {
      entry.isPending = true
      this.#pending.push(entry)
    }
  }

  /** Whether changes can be undone and must be journaled. */
  get #isJournaling(): boolean {
    return this.#checkpoints.length > 0
  }

  #forgetChanges(): void {
    for (const entry of this.#touched) entry.isTouched = entry.isPending = false
    this.#touched = []
    this.#pending = []
    this.#undo.length = 0
    this.forgetOriginals()
  }

  #checkNoCheckpoint(): void {
    if (this.#checkpoints.length > 0) throw new Error('Not within a checkpoint')
  }
}
