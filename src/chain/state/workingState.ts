import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address } from '@ethereumjs/util'
import { keccak256, keccak256Within } from '../crypto.js'
import { AccountEntry, EMPTY_CODE_HASH, EMPTY_RECORD, NO_BYTES, bytesKey, slotKeyOf } from './account.js'
import { ExecutionState, type WorkingStore } from './executionState.js'
import { type StateCommitment, type StateReader, type StateStore, TrieStateView } from './stateStore.js'

const DONE = Promise.resolve()
/** Overrides and dumps may hold megabytes of code. */
function hashOfCode(code: Uint8Array): Awaitable<Uint8Array> {
  return code.length === 0 ? EMPTY_CODE_HASH : keccak256Within(code)
}

/**
 * A mutable state for execution, as a state manager of the ethereumjs VM.
 *
 * Only putStorage and deleteAccount affect storage. The storageRoot of accounts passed in is ignored, and
 * that of returned accounts is as of the last computed root.
 */
export class WorkingState extends ExecutionState implements StateManagerInterface {
  /**
   * The values of slots at the start of the transaction, for the gas of SSTORE (EIP-2200). A value is captured when it
   * is first requested after a `clear`.
   */
  readonly originalStorageCache = {
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> => {
      const entry = await this.state.entry(address.bytes)
      if (entry.current === undefined) return NO_BYTES
      return this.state.originalOf(await this.state.slot(entry, slotKeyOf(key)))
    },
    clear: (): void => this.state.forgetOriginals(),
  }

  /** Returns the account at a 20-byte address as an ethereumjs object; an empty one if there is none. */
  accountAt(address: Uint8Array): Awaitable<Account> {
    return whenReady(this.state.entry(address), (entry) => toAccount(entry) ?? new Account())
  }

  async getAccount(address: Address): Promise<Account | undefined> {
    const found = this.state.entry(address.bytes)
    return toAccount(found instanceof AccountEntry ? found : await found)
  }

  async putAccount(address: Address, account?: Account): Promise<void> {
    if (account === undefined) return this.deleteAccount(address)
    // Read before the first await, because the caller may go on changing the account.
    const { nonce, balance, codeHash } = account
    const found = this.state.entry(address.bytes)
    this.state.setRecord(found instanceof AccountEntry ? found : await found, { nonce, balance, codeHash })
  }

  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const entry = await this.state.entry(address.bytes)
    const { nonce, balance, codeHash } = entry.current ?? EMPTY_RECORD
    this.state.setRecord(entry, {
      nonce: fields.nonce ?? nonce,
      balance: fields.balance ?? balance,
      codeHash: fields.codeHash ?? codeHash,
    })
  }

  async deleteAccount(address: Address): Promise<void> {
    const entry = await this.state.entry(address.bytes)
    if (entry.current === undefined) return
    this.state.setRecord(entry, undefined)
    this.state.clearSlots(entry)
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const hashed = hashOfCode(code)
    const codeHash = hashed instanceof Promise ? await hashed : hashed
    const entry = await this.state.entry(address.bytes)
    if (code.length > 0) this.newCodes.set(bytesKey(codeHash), { hash: codeHash, bytes: code.slice() })
    const { nonce, balance } = entry.current ?? EMPTY_RECORD
    this.state.setRecord(entry, { nonce, balance, codeHash })
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

  /**
   * Does nothing. The EVM calls it for the account of a new contract, which has no stored storage, as that would be a
   * collision (EIP-7610). Slots of a state override stay, as in geth.
   */
  clearStorage(): Promise<void> {
    return DONE
  }

  /** Synchronous despite the promise. */
  checkpoint(): Promise<void> {
    this.state.checkpoint()
    return DONE
  }

  /** Synchronous despite the promise. */
  commit(): Promise<void> {
    this.state.commit()
    return DONE
  }

  /** Synchronous despite the promise. */
  revert(): Promise<void> {
    this.state.revert()
    return DONE
  }

  async getStateRoot(): Promise<Uint8Array> {
    return this.computeRoot().root
  }

  /**
   * Restarts on another root of the store; unstored changes are lost.
   *
   * @throws Error within a checkpoint
   */
  async setStateRoot(root: Uint8Array): Promise<void> {
    this.state.restart(this.requireStore().viewAt(root))
    this.forgetComputed()
  }

  async hasStateRoot(root: Uint8Array): Promise<boolean> {
    return this.requireStore().hasRoot(root)
  }

  /** Returns the key of an address or slot in the tries. */
  getAppliedKey(key: Uint8Array): Uint8Array {
    return keccak256(key)
  }

  /** Forgets everything that was only read; changes stay. */
  clearCaches(): void {
    this.state.forgetReads()
  }

  /** Copies the changes into another working state on the same base, without checkpoints. */
  shallowCopy(): WorkingState {
    const copy = new WorkingState({ base: this.base, store: this.store })
    copy.state = this.state.copy()
    for (const [key, code] of this.newCodes) copy.newCodes.set(key, code)
    return copy
  }
}

function toAccount({ current, storage }: AccountEntry): Account | undefined {
  return current && new Account(current.nonce, current.balance, storage.root, current.codeHash)
}

/** Creates a reader for a state that is computed but not stored. */
function previewReader(store: StateStore, { roots, codes }: StateCommitment): StateReader {
  return {
    getRoot: (hash) => roots.get(bytesKey(hash))?.record ?? store.getRoot(hash),
    getNode: (number) => store.getNode(number),
    getCode: (hash) => codes.get(bytesKey(hash))?.bytes ?? store.getCode(hash),
    remote: store.remote,
  }
}

/** A view of a state that is computed but not stored: its own nodes over the stored ones. */
export class StatePreview extends TrieStateView {
  /** Reader for proofs of this state. */
  readonly reader: StateReader

  constructor(store: StateStore, commitment: StateCommitment) {
    const reader = previewReader(store, commitment)
    super(reader, commitment.root)
    this.reader = reader
  }

  /** Returns a store with this state's nodes and codes over the stored ones. */
  over(store: StateStore): WorkingStore {
    return {
      ...this.reader,
      remote: store.remote,
      hasRoot: (root) => store.hasRoot(root),
      viewAt: (root) => store.viewAt(root),
    }
  }
}
