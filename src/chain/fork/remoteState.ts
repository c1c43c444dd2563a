import type { Awaitable } from '../types.js'

/** An account as a remote node tells it. */
export interface RemoteAccount {
  nonce: bigint
  /** Wei. */
  balance: bigint
  code: Uint8Array
}

/** The state of a remote chain after one of its blocks: what a fork reads where nothing local is known. */
export interface RemoteState {
  /** The account at a 20-byte address, or undefined if it has neither nonce nor balance nor code. */
  getAccount(address: Uint8Array): Awaitable<RemoteAccount | undefined>
  /** The value of a 32-byte slot as 32 bytes big-endian. */
  getStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}
