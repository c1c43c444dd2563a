import type { RemoteAccount, RemoteState } from '../../chain/fork/overlay.js'
import type { Awaitable } from '../../chain/types.js'
import { bytesToHex, hexToBytes, type Hex } from '../../encoding/hex.js'
import { bigintToBytes, quantity } from '../../encoding/quantity.js'
import type { RemoteClient } from './remoteClient.js'
import { isEmpty, type StateCache } from './stateCache.js'

/** The state of a remote chain after one block, fetched when it is asked for and then kept. */
export class FetchedState implements RemoteState {
  readonly #client: Pick<RemoteClient, 'request'>
  readonly #cache: StateCache
  readonly #block: string
  /** What is on its way, so that nothing is fetched twice. */
  readonly #coming = new Map<string, Promise<unknown>>()

  constructor(client: Pick<RemoteClient, 'request'>, cache: StateCache, number: bigint) {
    this.#client = client
    this.#cache = cache
    this.#block = quantity(number)
  }

  getAccount(address: Uint8Array): Awaitable<RemoteAccount | undefined> {
    if (this.#cache.hasAccount(address)) return this.#cache.account(address)
    return this.#once(bytesToHex(address), () => this.#fetchAccount(address))
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array> {
    const known = this.#cache.slot(address, slot)
    if (known !== undefined) return known
    return this.#once(bytesToHex(address) + bytesToHex(slot), () => this.#fetchSlot(address, slot))
  }

  async #fetchAccount(address: Uint8Array): Promise<RemoteAccount | undefined> {
    const params = [bytesToHex(address), this.#block]
    const [nonce, balance, code] = (await Promise.all([
      this.#client.request('eth_getTransactionCount', params),
      this.#client.request('eth_getBalance', params),
      this.#client.request('eth_getCode', params),
    ])) as [Hex, Hex, Hex]
    const told = { nonce: BigInt(nonce), balance: BigInt(balance), code: hexToBytes(code) }
    const account = isEmpty(told) ? undefined : told
    this.#cache.putAccount(address, account)
    return account
  }

  async #fetchSlot(address: Uint8Array, slot: Uint8Array): Promise<Uint8Array> {
    const params = [bytesToHex(address), bytesToHex(slot), this.#block]
    const value = bigintToBytes(BigInt((await this.#client.request('eth_getStorageAt', params)) as Hex), 32)
    this.#cache.putSlot(address, slot, value)
    return value
  }

  #once<Value>(key: string, fetchIt: () => Promise<Value>): Promise<Value> {
    const coming = this.#coming.get(key) as Promise<Value> | undefined
    if (coming !== undefined) return coming
    const fetching = fetchIt().finally(() => this.#coming.delete(key))
    this.#coming.set(key, fetching)
    return fetching
  }
}
