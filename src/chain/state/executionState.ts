import { bytesEqual } from '../../encoding/hex.js'
import {
  type Awaitable,
  type Steps,
  type TimeSlice,
  runInSlices,
  runToCompletion,
  whenReady,
} from '../../encoding/timeSlice.js'
import type { StateView } from '../types.js'
import {
  AccountEntry,
  type AccountRecord,
  EMPTY_CODE_HASH,
  type HashedBytes,
  NO_BYTES,
  type SlotKey,
  accountState,
  bytesKey,
  padTo32,
  slotKeyOf,
} from './account.js'
import { JournaledState, type NextBase } from './journaledState.js'
import { WorkingTrie } from './stateRoot.js'
import { type StateCommitment, type StateStore } from './stateStore.js'
import type { NodeReader } from './trieNode.js'

/** A slot's current value and its value at the start of the transaction, both without leading zeros. */
export interface SlotValues {
  value: Uint8Array
  original: Uint8Array
}

const ZERO_SLOT: SlotValues = { value: NO_BYTES, original: NO_BYTES }
/** Accounts searched for new codes in one step. */
const ENTRIES_AT_ONCE = 1024

/** Options for a working state. */
export interface WorkingStateOptions {
  /** The state that changes are based on; it is only read. */
  base: StateView
  /** Store of the base's tries, required to compute roots but not to execute. */
  store?: WorkingStore
}

/** The part of the state store that a working state uses. */
export type WorkingStore = Pick<
  StateStore,
  'getRoot' | 'getNode' | 'getCode' | 'hasRoot' | 'viewAt' | 'remote'
>

/**
 * A mutable state for execution.
 *
 * While transactions run, nothing is hashed and no trie is touched; `computeRoot` applies all changes to the tries at
 * once. Slot values have no leading zeros.
 */
export class ExecutionState {
  protected state: JournaledState
  protected readonly store: WorkingStore | undefined
  /** Includes the codes of reverted calls. */
  protected readonly newCodes = new Map<string, HashedBytes>()
  #trie: WorkingTrie | undefined

  constructor({ base, store }: WorkingStateOptions) {
    this.state = new JournaledState(base)
    this.store = store
  }

  /** The state that this one started from, without its changes. */
  get base(): StateView {
    return this.state.base
  }

  /** Returns the account at a 20-byte address, or undefined. */
  readAccount(address: Uint8Array): Awaitable<AccountRecord | undefined> {
    return whenReady(this.state.entry(address), currentOf)
  }

  /** Returns the code of an account, empty if there is none. */
  readCode(address: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.state.entry(address), (entry) => this.#codeOf(entry))
  }

  /** Returns the value of a 32-byte slot, empty for zero. */
  readStorage(address: Uint8Array, key: Uint8Array): Awaitable<Uint8Array> {
    return this.loadSlot(address, slotKeyOf(key))
  }

  /** Returns the value of a slot, empty for zero. */
  loadSlot(address: Uint8Array, key: SlotKey): Awaitable<Uint8Array> {
    const entry = this.state.entry(address)
    // Every SLOAD comes through here, so avoid creating a closure.
    if (entry instanceof Promise) return entry.then((arrived) => this.#valueOf(arrived, key))
    return this.#valueOf(entry, key)
  }

  #valueOf(entry: AccountEntry, key: SlotKey): Awaitable<Uint8Array> {
    if (entry.current === undefined) return NO_BYTES
    const slot = this.state.slot(entry, key)
    return slot instanceof Promise ? slot.then(({ value }) => value) : slot.value
  }

  /**
   * Returns the values that determine the gas of an SSTORE (EIP-2200); see `originalStorageCache` for when a
   * transaction starts.
   */
  readSlot(address: Uint8Array, key: SlotKey): Awaitable<SlotValues> {
    return whenReady(this.state.entry(address), (entry) =>
      entry.current === undefined
        ? ZERO_SLOT
        : whenReady(this.state.slot(entry, key), (slot) => ({
            value: slot.value,
            original: this.state.originalOf(slot),
          })),
    )
  }

  /** Replaces the account at a 20-byte address. */
  writeAccount(address: Uint8Array, record: AccountRecord): Awaitable<void> {
    const found = this.state.entry(address)
    if (found instanceof AccountEntry) return this.state.setRecord(found, record)
    return found.then((entry) => this.state.setRecord(entry, record))
  }

  /**
   * Sets a 32-byte slot to a value of at most 32 bytes.
   *
   * @throws Error if the account does not exist
   */
  writeStorage(address: Uint8Array, key: Uint8Array, value: Uint8Array): Awaitable<void> {
    return this.storeSlot(address, slotKeyOf(key), value)
  }

  /**
   * Sets a slot to a value of at most 32 bytes.
   *
   * @throws Error if the account does not exist
   */
  storeSlot(address: Uint8Array, key: SlotKey, value: Uint8Array): Awaitable<void> {
    return whenReady(this.state.entry(address), (entry) =>
      whenReady(this.state.slot(entry, key), (slot) => this.state.setSlot(entry, slot, value)),
    )
  }

  /**
   * Sets 32-byte slots to values of at most 32 bytes outside any transaction, without reading their old values. Keys
   * are kept without copying.
   *
   * @throws Error if the account does not exist, or within a checkpoint
   */
  overwriteStorage(
    address: Uint8Array,
    slots: readonly { key: Uint8Array; value: Uint8Array }[],
  ): Awaitable<void> {
    return whenReady(this.state.entry(address), (entry) => {
      for (const { key, value } of slots) this.state.overwriteSlot(entry, key, value)
    })
  }

  /**
   * Computes the current state root, with the nodes and codes that the store lacks. Writes nothing. A repeated call
   * only costs what changed in between.
   *
   * @throws Error if the working state has no store
   */
  computeRoot(): StateCommitment {
    const trie = this.#openTrie()
    runToCompletion(trie.apply(this.state.takePending()))
    return runToCompletion(this.#commitmentOf(trie))
  }

  /**
   * Incremental version of {@link computeRoot}: yields when the slice is used up. The state must not change meanwhile.
   */
  async computeRootInSlices(slice: TimeSlice): Promise<StateCommitment> {
    const trie = this.#openTrie()
    await runInSlices(trie.apply(this.state.takePending()), slice)
    return runInSlices(this.#commitmentOf(trie), slice)
  }

  *#commitmentOf(trie: WorkingTrie): Steps<StateCommitment> {
    const { root, nodes, roots, replaced, preimages } = trie
    return { root, nodes, roots, replaced, codes: yield* this.#codesInUse(), preimages }
  }

  /** The tries with everything that computeRoot added, for proofs of this state. */
  get nodes(): NodeReader {
    return this.#openTrie()
  }

  /**
   * Makes the current state the new base, once its commitment is stored.
   *
   * @param base the view at the computed root
   * @throws Error within a checkpoint
   */
  rebase(base: NextBase): void {
    this.state.rebase(base)
    this.forgetComputed()
  }

  /** Lists the 20-byte addresses of the accounts that may differ from the base. */
  changedAccounts(): readonly Uint8Array[] {
    return this.state.touched.map(({ address }) => address)
  }

  /** Number of checkpoints neither committed nor reverted. */
  get openCheckpoints(): number {
    return this.state.openCheckpoints
  }

  /** Number of known accounts and slots, read or written. */
  get known(): number {
    return this.state.known
  }

  /** Forgets added codes, once all changes are reverted. */
  forgetNewCodes(): void {
    if (this.newCodes.size > 0) this.newCodes.clear()
  }

  /** Returns a live read-only view of this state. Its root is computed on demand. */
  view(): StateView {
    const computeRoot = () => this.computeRoot().root
    return {
      get root() {
        return computeRoot()
      },
      getAccount: (address) =>
        whenReady(
          this.state.entry(address),
          ({ current, storage }) => current && accountState(current, storage.root),
        ),
      getCode: (address) => this.readCode(address),
      getStorage: (address, slot) => whenReady(this.readStorage(address, slot), padTo32),
    }
  }

  #codeOf(entry: AccountEntry): Awaitable<Uint8Array> {
    const hash = entry.current?.codeHash ?? EMPTY_CODE_HASH
    if (entry.code.hash === hash) return entry.code.bytes
    // Removed code (EIP-7702, self-destruct) must not be read from the base.
    if (bytesEqual(hash, EMPTY_CODE_HASH)) return NO_BYTES
    const known = this.newCodes.get(bytesKey(hash))?.bytes ?? this.store?.getCode(hash)
    return whenReady(known ?? this.base.getCode(entry.address), (bytes) => {
      entry.code = { hash, bytes }
      return bytes
    })
  }

  *#codesInUse(): Steps<Map<string, HashedBytes>> {
    const codes = new Map<string, HashedBytes>()
    if (this.newCodes.size === 0) return codes
    let looked = 0
    for (const { current } of this.state.touched) {
      if (++looked % ENTRIES_AT_ONCE === 0) yield
      const key = current === undefined ? '' : bytesKey(current.codeHash)
      const code = this.newCodes.get(key)
      if (code !== undefined) codes.set(key, code)
    }
    return codes
  }

  protected forgetComputed(): void {
    this.newCodes.clear()
    this.#trie = undefined
  }

  protected requireStore(): WorkingStore {
    if (this.store === undefined) throw new Error('A working state without a store has no roots')
    return this.store
  }

  #openTrie(): WorkingTrie {
    const store = this.requireStore()
    return (this.#trie ??= new WorkingTrie(store, this.base.root, {
      marksAbsence: store.remote !== undefined,
    }))
  }
}

function currentOf(entry: AccountEntry): AccountRecord | undefined {
  return entry.current
}
