import { bytesToBigint, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { LargeMap } from '../../encoding/largeMap.js'
import { type CreatableFields, type PooledTransaction, createTransaction } from '../mempool/transaction.js'
import type { ForkRules } from '../types.js'

/** EIP-155: v is at least twice the chain id plus this. */
const PROTECTED_V = 35n

/** Returns a v that binds a legacy transaction to a chain, for use with a meaningless signature. */
export function protectedV(chainId: bigint): bigint {
  return chainId * 2n + PROTECTED_V
}

/**
 * Creates an unsigned transaction of an account whose key the node does not have.
 *
 * The sender takes the place of the signature, as both r and s. So equal fields from two senders give two transactions
 * with different hashes, and the bytes identify the sender. Recovery yields some other address.
 */
export function impersonate(
  sender: Uint8Array,
  fields: CreatableFields,
  rules: ForkRules,
): PooledTransaction {
  const mark = bytesToBigint(sender) || 1n
  const legacyV = fields.chainId === undefined ? 27n : protectedV(fields.chainId)
  const v = fields.type === 0 ? legacyV : 1n
  const transaction = createTransaction({ ...fields, v, r: mark, s: mark }, rules)
  return { transaction, hash: transaction.hash(), sender, impersonated: true }
}

/** The accounts that may send transactions without a key in the node, including contracts. */
export class Impersonation {
  #addresses = new LargeMap<true>()
  /** Whether every account may be impersonated without being listed. */
  automatic: boolean

  constructor({ automatic }: { automatic: boolean }) {
    this.automatic = automatic
  }

  /** Starts impersonating a 20-byte address. */
  start(address: Uint8Array): void {
    this.#addresses.set(bytesToPlainHex(address), true)
  }

  /**
   * @returns false if the 20-byte address was not impersonated
   */
  stop(address: Uint8Array): boolean {
    return this.#addresses.delete(bytesToPlainHex(address))
  }

  /** Stops impersonating all listed accounts; `automatic` stays as it is. */
  clear(): void {
    this.#addresses = new LargeMap()
  }

  /** Whether a 20-byte address may send transactions without a key. */
  allows(address: Uint8Array): boolean {
    return this.automatic || this.lists(address)
  }

  /** Iterates over the listed accounts, 20 bytes each. */
  *addresses(): Iterable<Uint8Array> {
    for (const [address] of this.#addresses) yield hexToBytes(address)
  }

  /** Whether a 20-byte address is listed. */
  lists(address: Uint8Array): boolean {
    return this.#addresses.get(bytesToPlainHex(address)) !== undefined
  }
}
