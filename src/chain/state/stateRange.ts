import { bytesEqual } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { ChainStores } from '../reader.js'
import { ABSENT_ACCOUNT, ABSENT_SLOT, OVERLAY_KEY } from '../fork/overlay.js'
import { keccak256 } from '../crypto.js'
import { payloadOf } from '../rlp.js'
import type { AccountState } from '../types.js'
import { blockStartSlots } from '../vm/systemCalls.js'
import { NO_BYTES, bytesKey, decodeAccount, padTo32 } from './account.js'
import { readTrie } from './trieNode.js'
import { EMPTY_TRIE_ROOT } from './nodeRecord.js'
import { type TrieLeaf, changedLeaves, leavesFrom } from './trieRange.js'

/** A slot of an account. */
export interface RangeSlot {
  /** keccak-256 of the key. */
  hash: Uint8Array
  /** 32 bytes; undefined if the preimage is unknown. */
  key: Uint8Array | undefined
  /** 32 bytes. */
  value: Uint8Array
}

/** An account of a state. */
export interface RangeAccount extends AccountState {
  /** keccak-256 of the address. */
  hash: Uint8Array
  /** 20 bytes; undefined if the preimage is unknown. */
  address: Uint8Array | undefined
}

/** A page of results. */
export interface Range<T> {
  items: T[]
  /** Hash of the next item; undefined after the last one. */
  next: Uint8Array | undefined
}

/** Start and size of a page. */
export interface RangePage {
  /** The first hash, or a prefix of it. */
  start: Uint8Array
  limit: number
}

/**
 * Lists accounts and slots of states, ordered by the hashes of addresses and keys (geth: core/state/dump.go,
 * eth/api_debug.go). In a fork, only what the node knows: the remote node cannot list its state.
 */
export class StateRanges {
  readonly #stores: ChainStores
  /** Slots that system calls write at the start of blocks, which have no stored preimages. */
  #systemSlots: Map<string, Uint8Array> | undefined

  constructor(stores: ChainStores) {
    this.#stores = stores
  }

  /** Lists the accounts of the state under a root. */
  async accounts(
    root: Uint8Array,
    { start, limit, isWanted }: RangePage & { isWanted: (account: RangeAccount) => boolean },
  ): Promise<Range<RangeAccount>> {
    const items: RangeAccount[] = []
    for await (const account of this.allAccounts(root, start)) {
      if (items.length === limit) return { items, next: account.hash }
      if (isWanted(account)) items.push(account)
    }
    return { items, next: undefined }
  }

  /** Iterates over the accounts of the state under a root, from a hash or a prefix of it on. */
  async *allAccounts(root: Uint8Array, start = NO_BYTES): AsyncGenerator<RangeAccount, void, undefined> {
    const slice = new TimeSlice()
    for (const leaf of leavesFrom(this.#stores.states, root, start)) {
      await slice.pause()
      if (!bytesEqual(leaf.value, ABSENT_ACCOUNT)) yield this.#accountOf(leaf)
    }
  }

  /** Returns the storage root of an account in the state under a root; undefined if it has no storage. */
  storageRoot(root: Uint8Array, address: Uint8Array): Uint8Array | undefined {
    const value = readTrie(this.#stores.states, root, keccak256(address))
    if (value === undefined || bytesEqual(value, ABSENT_ACCOUNT)) return undefined
    const { storageRoot } = decodeAccount(value)
    return bytesEqual(storageRoot, EMPTY_TRIE_ROOT) ? undefined : storageRoot
  }

  /** Lists the slots of an account under its storage root. */
  async storage(storageRoot: Uint8Array, { start, limit }: RangePage): Promise<Range<RangeSlot>> {
    const items: RangeSlot[] = []
    for await (const slot of this.allSlots(storageRoot, start)) {
      if (items.length === limit) return { items, next: slot.hash }
      items.push(slot)
    }
    return { items, next: undefined }
  }

  /** Iterates over the slots under a storage root, from a hash or a prefix of it on. */
  async *allSlots(storageRoot: Uint8Array, start = NO_BYTES): AsyncGenerator<RangeSlot, void, undefined> {
    const slice = new TimeSlice()
    for (const { key: hash, value } of leavesFrom(this.#stores.states, storageRoot, start)) {
      await slice.pause()
      if (bytesEqual(value, ABSENT_SLOT) || bytesEqual(hash, OVERLAY_KEY)) continue
      yield { hash, key: await this.preimage(hash), value: padTo32(payloadOf(value)) }
    }
  }

  /** Returns the code with a keccak-256 hash; empty if no account has it. */
  code(hash: Uint8Array): Uint8Array {
    return this.#stores.states.getCode(hash) ?? NO_BYTES
  }

  /** Iterates over the accounts under the root `after` that are missing or different under `before`. */
  async *changedAccounts(
    before: Uint8Array,
    after: Uint8Array,
  ): AsyncGenerator<RangeAccount, void, undefined> {
    const slice = new TimeSlice()
    for (const leaf of changedLeaves(this.#stores.states, before, after)) {
      await slice.pause()
      if (!bytesEqual(leaf.value, ABSENT_ACCOUNT)) yield this.#accountOf(leaf)
    }
  }

  /** Returns the address or slot with a keccak-256 hash, if any state ever contained it. */
  async preimage(hash: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#storedPreimage(hash) ?? (await this.#knownSystemSlots()).get(bytesKey(hash))
  }

  #storedPreimage(hash: Uint8Array): Uint8Array | undefined {
    const { database, keys } = this.#stores
    return database.get(keys.preimage(hash))
  }

  #accountOf({ key: hash, value }: TrieLeaf): RangeAccount {
    return { ...decodeAccount(value), hash, address: this.#storedPreimage(hash) }
  }

  async #knownSystemSlots(): Promise<ReadonlyMap<string, Uint8Array>> {
    if (this.#systemSlots !== undefined) return this.#systemSlots
    const slots = new Map<string, Uint8Array>()
    const slice = new TimeSlice()
    for (const { slot } of blockStartSlots()) {
      slots.set(bytesKey(keccak256(slot)), slot)
      await slice.pause()
    }
    return (this.#systemSlots = slots)
  }
}
