import { Account } from '@ethereumjs/util'
import { keccak256 } from '../keccak.js'
import { EMPTY_CODE_HASH, NO_BYTES, padTo32, stripZeros } from './account.js'
import { bytesKey } from './byteCache.js'
import { AccountEntry, EMPTY_RECORD, SlotEntry, StorageEntry } from './entries.js'
import { changeOf } from './stateChanges.js'
import { WorkingTrie } from './stateRoot.js'
import { whenReady } from './whenReady.js'
import { EMPTY_ROOT } from './trieNode.js'
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import type { Address } from '@ethereumjs/util'
import type { Awaitable, StateView } from '../types.js'
import type { AccountRecord } from './entries.js'
import type { AccountChange } from './stateChanges.js'
import type { HashedBytes, StateCommitment, StateStore } from './stateStore.js'
import type { NodeReader } from './trieNode.js'

/** What a working state works on. */
export interface WorkingStateOptions {
  /** The state that is changed; it is only read. */
  base: StateView
  /** Where the tries of the base are: needed for roots, not for execution alone. */
  store?: StateStore
}

/** When more accounts and slots than this are known, the next rebase forgets them all. */
const MAX_KNOWN = 10_000

/**
 * A state that execution changes: a flat cache of accounts and slots over a base, with an undo log.
 *
 * It is what ethereumjs' virtual machine calls its state manager. Nothing is hashed and no trie is touched while
 * transactions run; `computeRoot` brings all changes into the tries at once. A checkpoint costs a number, a commit
 * nothing, a revert what was written since.
 *
 * Storage follows from putStorage, clearStorage and deleteAccount alone: the storageRoot of accounts that are put
 * is not looked at, and that of accounts handed out is the one of the last computed root.
 */
export class WorkingState implements StateManagerInterface {
  #base: StateView
  readonly #store: StateStore | undefined
  #entries = new Map<string, AccountEntry>()
  /** How many accounts and slots were read or written since they were last forgotten. */
  #known = 0
  /** Entries that may differ from the base. */
  readonly #touched = new Set<AccountEntry>()
  /** Entries that may differ from the computed root. */
  readonly #pending = new Set<AccountEntry>()
  readonly #newCodes = new Map<string, HashedBytes>()
  #trie: WorkingTrie | undefined
  readonly #undo: (() => void)[] = []
  readonly #checkpoints: number[] = []
  #slotsWithOriginal: SlotEntry[] = []

  /** The values that slots had when the transaction began, for the gas of SSTORE (EIP-2200). */
  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      const slot = await this.#slot(address.bytes, key)
      return slot === undefined ? NO_BYTES : (slot.original ?? slot.value)
    },
    clear: (): void => this.#forgetOriginals(),
  }

  constructor({ base, store }: WorkingStateOptions) {
    this.#base = base
    this.#store = store
  }

  /** The state that this one started from, without its changes. */
  get base(): StateView {
    return this.#base
  }

  /** The account at a 20-byte address, or undefined. */
  readAccount(address: Uint8Array): Awaitable<AccountRecord | undefined> {
    return whenReady(this.#entry(address), (entry) => entry.current)
  }

  /** The code of an account, empty if there is none. */
  readCode(address: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.#entry(address), (entry) => this.#codeOf(entry))
  }

  /** The value of a 32-byte slot without leading zeros. */
  readStorage(address: Uint8Array, key: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.#slot(address, key), (slot) => slot?.value ?? NO_BYTES)
  }

  /**
   * Sets a 32-byte slot to a value of at most 32 bytes.
   *
   * @throws Error if there is no such account.
   */
  writeStorage(address: Uint8Array, key: Uint8Array, value: Uint8Array): Awaitable<void> {
    return whenReady(this.#entry(address), (entry) =>
      whenReady(this.#slotOf(entry, key), (slot) => this.#setSlot(entry, slot, value)),
    )
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const found = this.#entry(address.bytes)
    const { current, storage } = found instanceof AccountEntry ? found : await found
    return current && new Account(current.nonce, current.balance, storage.root, current.codeHash)
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address)
    const { nonce, balance, codeHash } = account
    const found = this.#entry(address.bytes)
    this.#setRecord(found instanceof AccountEntry ? found : await found, { nonce, balance, codeHash })
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const entry = await this.#entry(address.bytes)
    const { nonce, balance, codeHash } = entry.current ?? EMPTY_RECORD
    this.#setRecord(entry, {
      nonce: fields.nonce ?? nonce,
      balance: fields.balance ?? balance,
      codeHash: fields.codeHash ?? codeHash,
    })
  }

  async deleteAccount(address: Address): Promise<void> {
    const entry = await this.#entry(address.bytes)
    if (entry.current === undefined) return
    this.#setRecord(entry, undefined)
    this.#clearSlots(entry)
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const entry = await this.#entry(address.bytes)
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
    if (code.length > 0) this.#newCodes.set(bytesKey(codeHash), { hash: codeHash, bytes: code.slice() })
    this.#setRecord(entry, { ...(entry.current ?? EMPTY_RECORD), codeHash })
  }

  async getCode(address: Address): Promise<Uint8Array> {
    return this.readCode(address.bytes)
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.readCode(address.bytes)).length
  }

  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.readStorage(address.bytes, key)
  }

  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.writeStorage(address.bytes, key, value)
  }

  async clearStorage(address: Address): Promise<void> {
    this.#clearSlots(await this.#entry(address.bytes))
  }

  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#undo.length)
  }

  /** Keeps what was written since the last checkpoint. Behind the last one nothing can be undone any more. */
  async commit(): Promise<void> {
    this.#checkpoints.pop()
    if (this.#checkpoints.length > 0) return
    this.#undo.length = 0
    this.#forgetOriginals()
  }

  /** Undoes what was written since the last checkpoint. */
  async revert(): Promise<void> {
    const length = this.#checkpoints.pop() ?? 0
    while (this.#undo.length > length) this.#undo.pop()?.()
    if (this.#checkpoints.length === 0) this.#forgetOriginals()
  }

  /**
   * The root of the state as it is now, with the nodes and codes that the store does not have yet. Nothing is
   * written. Calling it again costs what changed in between.
   *
   * @throws Error if the working state was made without a store.
   */
  computeRoot(): StateCommitment {
    const trie = this.#openTrie()
    const codes = new Map<string, HashedBytes>()
    trie.apply(this.#pending)
    this.#pending.clear()
    for (const { current } of this.#touched) {
      const key = current === undefined || this.#newCodes.size === 0 ? '' : bytesKey(current.codeHash)
      const code = this.#newCodes.get(key)
      if (code !== undefined) codes.set(key, code)
    }
    return { root: trie.root, nodes: trie.nodes, codes }
  }

  /** The tries with everything that computeRoot brought into them: what proofs of this state are made from. */
  get nodes(): NodeReader {
    return this.#openTrie()
  }

  /** What is different from the base. */
  changes(): AccountChange[] {
    return [...this.#touched].flatMap((entry) => changeOf(entry) ?? [])
  }

  /**
   * Makes the state as it is now the base of what follows, once its commitment is stored.
   *
   * @param base the view at the computed root.
   * @throws Error within a checkpoint.
   */
  rebase(base: StateView): void {
    this.#checkNoCheckpoint()
    this.#base = base
    if (this.#known > MAX_KNOWN) this.#forgetEntries()
    else for (const entry of this.#touched) entry.rebase()
    this.#forgetChanges()
  }

  async getStateRoot(): Promise<Uint8Array> {
    return this.computeRoot().root
  }

  /** Starts anew on another root of the store; what was not stored is lost. */
  async setStateRoot(root: Uint8Array): Promise<void> {
    this.#checkNoCheckpoint()
    this.#base = this.#requireStore().viewAt(root)
    this.#forgetEntries()
    this.#forgetChanges()
  }

  async hasStateRoot(root: Uint8Array): Promise<boolean> {
    return this.#requireStore().hasRoot(root)
  }

  /** The key of an address or slot in the tries. */
  getAppliedKey(key: Uint8Array): Uint8Array {
    return keccak256(key)
  }

  /** Forgets what was only read; changes stay. */
  clearCaches(): void {
    this.#entries = new Map([...this.#touched].map((entry) => [bytesKey(entry.address), entry]))
  }

  /** Another working state on the same base with the same changes, without checkpoints. */
  shallowCopy(): WorkingState {
    const copy = new WorkingState({ base: this.#base, store: this.#store })
    for (const [key, code] of this.#newCodes) copy.#newCodes.set(key, code)
    for (const entry of this.#touched) {
      const twin = entry.copy()
      copy.#entries.set(bytesKey(entry.address), twin)
      copy.#touched.add(twin)
      copy.#pending.add(twin)
    }
    return copy
  }

  /** The state as it is now, for readers; it moves with this one. Its root is the one computed when it is asked for. */
  view(): StateView {
    const computeRoot = () => this.computeRoot().root
    return {
      get root() {
        return computeRoot()
      },
      getAccount: (address) =>
        whenReady(this.#entry(address), ({ current, storage }) =>
          current === undefined ? undefined : { ...current, storageRoot: storage.root },
        ),
      getCode: (address) => this.readCode(address),
      getStorage: (address, slot) => whenReady(this.readStorage(address, slot), padTo32),
    }
  }

  #entry(address: Uint8Array): Awaitable<AccountEntry> {
    const key = bytesKey(address)
    return (
      this.#entries.get(key) ??
      whenReady(this.#base.getAccount(address), (base) => {
        const entry = this.#entries.get(key) ?? new AccountEntry(address.slice(), base)
        this.#entries.set(key, entry)
        this.#known++
        return entry
      })
    )
  }

  #slot(address: Uint8Array, key: Uint8Array): Awaitable<SlotEntry | undefined> {
    return whenReady(this.#entry(address), (entry) =>
      entry.current === undefined ? undefined : this.#slotOf(entry, key),
    )
  }

  #slotOf(entry: AccountEntry, key: Uint8Array): Awaitable<SlotEntry> {
    if (key.length !== 32) throw new Error(`A storage key has 32 bytes, not ${key.length}`)
    const { storage } = entry
    const name = bytesKey(key)
    const known = storage.find(name)
    if (known !== undefined) return known
    const value = storage.isOverBase ? this.#base.getStorage(entry.address, key) : NO_BYTES
    return whenReady(value, (base) => {
      const slot = storage.find(name) ?? new SlotEntry(key.slice(), stripZeros(base))
      storage.add(name, slot)
      this.#known++
      return slot
    })
  }

  #codeOf(entry: AccountEntry): Awaitable<Uint8Array> {
    const hash = entry.current?.codeHash ?? EMPTY_CODE_HASH
    if (entry.code.hash === hash) return entry.code.bytes
    const known = this.#newCodes.get(bytesKey(hash))?.bytes ?? this.#store?.getCode(hash)
    return whenReady(known ?? this.#base.getCode(entry.address), (bytes) => {
      entry.code = { hash, bytes }
      return bytes
    })
  }

  #setRecord(entry: AccountEntry, record: AccountRecord | undefined): void {
    const before = entry.current
    entry.current = record
    this.#touch(entry)
    this.#remember(() => {
      entry.current = before
      this.#touch(entry)
    })
  }

  #setSlot(entry: AccountEntry, slot: SlotEntry, bytes: Uint8Array): void {
    if (entry.current === undefined)
      throw new Error('Cannot write to the storage of an account that does not exist')
    if (bytes.length > 32) throw new Error(`A storage value has at most 32 bytes, not ${bytes.length}`)
    const { storage } = entry
    const before = slot.value
    if (slot.original === undefined) {
      slot.original = before
      this.#slotsWithOriginal.push(slot)
    }
    const set = (value: Uint8Array) => {
      slot.value = value
      storage.touch(slot)
      this.#touch(entry)
    }
    set(stripZeros(bytes))
    this.#remember(() => set(before))
  }

  #clearSlots(entry: AccountEntry): void {
    const before = entry.storage
    if (before.isBlank) return
    const set = (storage: StorageEntry) => {
      entry.storage = storage
      this.#touch(entry)
    }
    set(new StorageEntry(EMPTY_ROOT))
    this.#remember(() => set(before))
  }

  #touch(entry: AccountEntry): void {
    this.#touched.add(entry)
    this.#pending.add(entry)
  }

  #remember(undo: () => void): void {
    if (this.#checkpoints.length > 0) this.#undo.push(undo)
  }

  #forgetOriginals(): void {
    for (const slot of this.#slotsWithOriginal) slot.original = undefined
    this.#slotsWithOriginal = []
  }

  #forgetEntries(): void {
    this.#entries.clear()
    this.#known = 0
  }

  #forgetChanges(): void {
    this.#touched.clear()
    this.#pending.clear()
    this.#newCodes.clear()
    this.#trie = undefined
    this.#undo.length = 0
    this.#forgetOriginals()
  }

  #checkNoCheckpoint(): void {
    if (this.#checkpoints.length > 0) throw new Error('The base cannot change within a checkpoint')
  }

  #requireStore(): StateStore {
    if (this.#store === undefined)
      throw new Error('This working state has no tries: it was made without a store')
    return this.#store
  }

  #openTrie(): WorkingTrie {
    return (this.#trie ??= new WorkingTrie(this.#requireStore(), this.#base.root))
  }
}
