import { bytesEqual } from '../../encoding/hex.js'
import { keccak256 } from '../keccak.js'
import { decodeAccount, EMPTY_CODE_HASH, NO_BYTES, padTo32 } from './account.js'
import { bytesKey } from './byteCache.js'
import { readTrie } from './readTrie.js'
import { payloadOf } from './rlp.js'
import { EMPTY_ROOT } from './trieNode.js'
import type { AccountState, StateView } from '../types.js'
import type { NodeReader } from './trieNode.js'

/** What a view reads from. */
export interface StateReader extends NodeReader {
  getCode(hash: Uint8Array): Uint8Array | undefined
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
 * The state under one root of the stored tries. Everything is at hand: nothing returns a promise.
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
  getAccount(address: Uint8Array): AccountState | undefined {
    const key = bytesKey(address)
    if (this.#accounts.has(key)) return this.#accounts.get(key)
    const rlp = readTrie(this.#reader, this.root, keccak256(address))
    const account = rlp === undefined ? undefined : decodeAccount(rlp)
    if (this.#accounts.size >= CACHED_ENTRIES) this.#accounts.clear()
    this.#accounts.set(key, account)
    return account
  }

  /** @throws MissingNodeError or MissingCodeError if the root or the code is not stored. */
  getCode(address: Uint8Array): Uint8Array {
    const account = this.getAccount(address)
    if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return NO_BYTES
    const code = this.#reader.getCode(account.codeHash)
    if (code === undefined) throw new MissingCodeError(account.codeHash)
    return code
  }

  /** @throws MissingNodeError if the root is not stored. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const account = this.getAccount(address)
    if (account === undefined || bytesEqual(account.storageRoot, EMPTY_ROOT)) return ZERO_SLOT
    const key = bytesKey(address) + bytesKey(slot)
    const cached = this.#slots.get(key)
    if (cached !== undefined) return cached
    const item = readTrie(this.#reader, account.storageRoot, keccak256(slot))
    const value = item === undefined ? ZERO_SLOT : padTo32(payloadOf(item).slice())
    if (this.#slots.size >= CACHED_ENTRIES) this.#slots.clear()
    this.#slots.set(key, value)
    return value
  }
}
