import { bytesToBigint, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { type CreatableFields, type PooledTransaction, createTransaction } from '../mempool/transaction.js'
import type { ForkRules } from '../types.js'

/** EIP-155: the smallest v of a chain is this much above twice its id. */
const PROTECTED_V = 35n

/** The v of a legacy transaction that is for one chain, and whose signature says nothing. */
export function protectedV(chainId: bigint): bigint {
  return chainId * 2n + PROTECTED_V
}

/**
 * An unsigned transaction of an account whose key the node does not have.
 *
 * In the place of the signature stands the sender, as r and as s: so the same fields from two senders are two
 * transactions with two hashes, and the bytes say who is meant. It recovers to some other address.
 */
export function impersonate(
  sender: Uint8Array,
  fields: CreatableFields,
  rules: ForkRules,
): PooledTransaction {
  const mark = bytesToBigint(sender) || 1n
  const legacyV = fields.chainId === undefined ? 27n : protectedV(fields.chainId)
  const v = fields.type === 0 ? legacyV : 0n
  const transaction = createTransaction({ ...fields, v, r: mark, s: mark }, rules)
  return { transaction, hash: transaction.hash(), sender, impersonated: true }
}

/** The accounts that transactions may come from although the node has no key of them, contracts included. */
export class Impersonation {
  readonly #addresses = new Set<string>()
  /** Whether every account may be impersonated without being named. */
  automatic: boolean

  constructor({ automatic }: { automatic: boolean }) {
    this.automatic = automatic
  }

  /** Lets transactions of a 20-byte address in. */
  start(address: Uint8Array): void {
    this.#addresses.add(bytesToPlainHex(address))
  }

  /** @returns false if the 20-byte address was not impersonated */
  stop(address: Uint8Array): boolean {
    return this.#addresses.delete(bytesToPlainHex(address))
  }

  /** Ends all of it; what the operator chose for all accounts stays. */
  clear(): void {
    this.#addresses.clear()
  }

  /** Whether transactions of a 20-byte address are let in without a key. */
  allows(address: Uint8Array): boolean {
    return this.automatic || this.#addresses.has(bytesToPlainHex(address))
  }

  /** Those that were named, 20 bytes each. */
  addresses(): Uint8Array[] {
    return [...this.#addresses].map(hexToBytes)
  }
}
