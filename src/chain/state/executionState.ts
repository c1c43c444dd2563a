import { bytesEqual } from '../../encoding/hex.js'
import {
  type Awaitable,
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

/** A slot now and when the transaction began; both without leading zeros. */
export interface SlotValues {
  value: Uint8Array
  original: Uint8Array
}

const ZERO_SLOT: SlotValues = { value: NO_BYTES, original: NO_BYTES }

/** What a working state works on. */
export interface WorkingStateOptions {
  /** The state that is changed; it is only read. */
  base: StateView
  /** Where the tries of the base are: needed for roots, not for execution alone. */
  store?: WorkingStore
}

/** What a working state asks of its store. */
export type WorkingStore = Pick<
  StateStore,
  'getRoot' | 'getNode' | 'getCode' | 'hasRoot' | 'viewAt' | 'remote'
>

/**
 * A state that execution changes.
 *
 * Nothing is hashed and no trie is touched while transactions run; `computeRoot` brings all changes into the tries
 * at once. Values of slots are minimal: without leading zeros.
 */
export class ExecutionState {
  protected state: JournaledState
  protected readonly store: WorkingStore | undefined
  /** Also those of reverted calls. */
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

  /** The account at a 20-byte address, or undefined. */
  readAccount(address: Uint8Array): Awaitable<AccountRecord | undefined> {
    return whenReady(this.state.entry(address), currentOf)
  }

  /** The code of an account, empty if there is none. */
  readCode(address: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.state.entry(address), (entry) => this.#codeOf(entry))
  }

  /** The value of a 32-byte slot; no bytes for zero. */
  readStorage(address: Uint8Array, key: Uint8Array): Awaitable<Uint8Array> {
    return this.loadSlot(address, slotKeyOf(key))
  }

  /** The value of a slot; no bytes for zero. */
  loadSlot(address: Uint8Array, key: SlotKey): Awaitable<Uint8Array> {
    const entry = this.state.entry(address)
    // Each SLOAD comes here: without a function made for it.
    if (entry instanceof Promise) return entry.then((arrived) => this.#valueOf(arrived, key))
    return this.#valueOf(entry, key)
  }

  #valueOf(entry: AccountEntry, key: SlotKey): Awaitable<Uint8Array> {
    if (entry.current === undefined) return NO_BYTES
    const slot = this.state.slot(entry, key)
    return slot instanceof Promise ? slot.then(({ value }) => value) : slot.value
  }

  /** What the gas of an SSTORE depends on (EIP-2200); see `originalStorageCache` for when a transaction began. */
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
   * @throws Error if there is no such account.
   */
  writeStorage(address: Uint8Array, key: Uint8Array, value: Uint8Array): Awaitable<void> {
    return this.storeSlot(address, slotKeyOf(key), value)
  }

  /**
   * Sets a slot to a value of at most 32 bytes.
   *
   * @throws Error if there is no such account.
   */
  storeSlot(address: Uint8Array, key: SlotKey, value: Uint8Array): Awaitable<void> {
    return whenReady(this.state.entry(address), (entry) =>
      whenReady(this.state.slot(entry, key), (slot) => this.state.setSlot(entry, slot, value)),
    )
  }

  /**
   * Sets 32-byte slots to values of at most 32 bytes, outside of any transaction and whatever they hold: they are not
   * looked up. Keys are kept as they are given.
   *
   * @throws Error if there is no such account, or within a checkpoint.
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
   * The root of the state as it is now, with the nodes and codes that the store does not have yet. Nothing is
   * written. Calling it again costs what changed in between.
   *
   * @throws Error if the working state was made without a store.
   */
  computeRoot(): StateCommitment {
    const trie = this.#openTrie()
    runToCompletion(trie.apply(this.state.takePending()))
    return this.#commitmentOf(trie)
  }

  /**
   * As {@link computeRoot}, with turns for other work where the slice is used up. Nothing may change the state
   * meanwhile.
   */
  async computeRootInSlices(slice: TimeSlice): Promise<StateCommitment> {
    const trie = this.#openTrie()
    await runInSlices(trie.apply(this.state.takePending()), slice)
    return this.#commitmentOf(trie)
  }

  #commitmentOf(trie: WorkingTrie): StateCommitment {
    const { root, nodes, roots, replaced, preimages } = trie
    return { root, nodes, roots, replaced, codes: this.#codesInUse(), preimages }
  }

  /** The tries with everything that computeRoot brought into them: what proofs of this state are made from. */
  get nodes(): NodeReader {
    return this.#openTrie()
  }

  /**
   * Makes the state as it is now the base of what follows, once its commitment is stored.
   *
   * @param base the view at the computed root.
   * @throws Error within a checkpoint.
   */
  rebase(base: NextBase): void {
    this.state.rebase(base)
    this.forgetComputed()
  }

  /** How many checkpoints are neither committed nor reverted. */
  get openCheckpoints(): number {
    return this.state.openCheckpoints
  }

  /** How many accounts and slots are known: those that were read or written. */
  get known(): number {
    return this.state.known
  }

  /** Forgets the codes that were put, once all changes are taken back. */
  forgetNewCodes(): void {
    if (this.newCodes.size > 0) this.newCodes.clear()
  }

  /** The state as it is now, for readers; it moves with this one. Its root is computed when it is asked for. */
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
    // Code that was taken away (EIP-7702, a destruction) is not that of the base.
    if (bytesEqual(hash, EMPTY_CODE_HASH)) return NO_BYTES
    const known = this.newCodes.get(bytesKey(hash))?.bytes ?? this.store?.getCode(hash)
    return whenReady(known ?? this.base.getCode(entry.address), (bytes) => {
      entry.code = { hash, bytes }
      return bytes
    })
  }

  #codesInUse(): Map<string, HashedBytes> {
    const codes = new Map<string, HashedBytes>()
    if (this.newCodes.size === 0) return codes
    for (const { current } of this.state.touched) {
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
