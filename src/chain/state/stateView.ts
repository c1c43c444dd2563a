import { bytesEqual } from '../../encoding/hex.js'
import { ABSENT_ACCOUNT, type RemoteState, accountOfRemote, isOverlay } from '../fork/overlay.js'
import { keccak256 } from '../keccak.js'
import type { AccountState, Awaitable, StateView } from '../types.js'
import { EMPTY_CODE_HASH, NO_BYTES, decodeAccount, padTo32 } from './account.js'
import { addressKey } from './addressKey.js'
import { bytesKey } from './byteCache.js'
import { readTrie } from './readTrie.js'
import { payloadOf } from '../rlp.js'
import { EMPTY_ROOT, type NodeReader } from './trieNode.js'
import { whenReady } from './whenReady.js'

/** What a view reads from. */
export interface StateReader extends NodeReader {
  getCode(hash: Uint8Array): Uint8Array | undefined
  /** What a fork reads where its tries hold nothing. */
  readonly remote?: RemoteState | undefined
}

/** An account refers to code that is not stored: the data is damaged. */
export class MissingCodeError extends Error {
  override readonly name = 'MissingCodeError'
  constructor(hash: Uint8Array) {
    super(`Missing code ${Buffer.from(hash).toString('hex')}`)
  }
}

const CACHED_ENTRIES = 4096
const ZERO_SLOT: Uint8Array = new Uint8Array(32)

/**
 * The state under one root of the stored tries. Everything is at hand, and nothing returns a promise, but for what a fork
 * must ask its remote node.
 *
 * What was read is remembered up to a number of entries, then forgotten at once.
 */
export class TrieStateView implements StateView {
  readonly root: Uint8Array
  readonly #reader: StateReader
  readonly #accounts = new Map<string, AccountState | undefined>()
  readonly #slots = new Map<string, Uint8Array>()

  constructor(reader: StateReader, root: Uint8Array) {
    this.#reader = reader
    this.root = root
  }

  /** @throws MissingNodeError if the root is not stored. */
  getAccount(address: Uint8Array): Awaitable<AccountState | undefined> {
    const key = addressKey(address)
    if (this.#accounts.has(key)) return this.#accounts.get(key)
    return whenReady(this.#readAccount(address), (account) => {
      this.know(key, account)
      return account
    })
  }

  /** Takes note of what a read of an account would give, by the map key of its address. */
  know(key: string, account: AccountState | undefined): void {
    if (this.#accounts.size >= CACHED_ENTRIES) this.#accounts.clear()
    this.#accounts.set(key, account)
  }

  #readAccount(address: Uint8Array): Awaitable<AccountState | undefined> {
    const rlp = readTrie(this.#reader, this.root, keccak256(address))
    const { remote } = this.#reader
    if (rlp !== undefined) {
      return remote !== undefined && bytesEqual(rlp, ABSENT_ACCOUNT) ? undefined : decodeAccount(rlp)
    }
    return remote && whenReady(remote.getAccount(address), (account) => account && accountOfRemote(account))
  }

  /** @throws MissingNodeError or MissingCodeError if the root or the code is not stored. */
  getCode(address: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.getAccount(address), (account) => {
      if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return NO_BYTES
      return this.#reader.getCode(account.codeHash) ?? this.#remoteCode(address, account.codeHash)
    })
  }

  #remoteCode(address: Uint8Array, hash: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.#reader.remote?.getAccount(address), (account) => {
      if (account === undefined || !bytesEqual(keccak256(account.code), hash))
        throw new MissingCodeError(hash)
      return account.code
    })
  }

  /** @throws MissingNodeError if the root is not stored. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    return whenReady(this.getAccount(address), (account) => {
      if (account === undefined || bytesEqual(account.storageRoot, EMPTY_ROOT)) return ZERO_SLOT
      const key = addressKey(address) + bytesKey(slot)
      const cached = this.#slots.get(key)
      if (cached !== undefined) return cached
      return whenReady(this.#readSlot(address, account.storageRoot, slot), (value) => {
        if (this.#slots.size >= CACHED_ENTRIES) this.#slots.clear()
        this.#slots.set(key, value)
        return value
      })
    })
  }

  #readSlot(address: Uint8Array, storageRoot: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    const item = readTrie(this.#reader, storageRoot, keccak256(slot))
    if (item !== undefined) return padTo32(payloadOf(item).slice())
    const { remote } = this.#reader
    return remote !== undefined && isOverlay(this.#reader, storageRoot)
      ? remote.getStorage(address, slot)
      : ZERO_SLOT
  }
}
