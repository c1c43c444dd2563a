import { bytesToBigint } from '../../encoding/quantity.js'
import { createTransaction, type CreatableFields } from '../mempool/create.js'
import type { PooledTransaction } from '../mempool/transaction.js'
import type { ForkRules } from '../types.js'

/** EIP-155: the smallest v of a chain is this much above twice its id. */
const PROTECTED_V = 35n

/**
 * A transaction of an account that nobody has signed for.
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
  const protectedV = fields.chainId === undefined ? 27n : fields.chainId * 2n + PROTECTED_V
  const v = fields.type === 0 ? protectedV : 0n
  const transaction = createTransaction({ ...fields, v, r: mark, s: mark }, rules)
  return { transaction, hash: transaction.hash(), sender, impersonated: true }
}
