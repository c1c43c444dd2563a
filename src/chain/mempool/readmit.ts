import { TransactionRejectedError } from '../errors.js'
import type { ForkRules } from '../types.js'
import { createTransaction } from './create.js'
import { decodeTransaction } from './decode.js'
import type { Mempool } from './mempool.js'
import type { StoredPooled } from './pooledStore.js'

/**
 * Takes a transaction in that was in before: after a restart, or when its block has left the chain. What has become
 * unacceptable since is dropped.
 */
export async function readmit(
  mempool: Mempool,
  rules: ForkRules,
  { raw, sender, impersonated }: StoredPooled,
): Promise<void> {
  try {
    if (!impersonated) await mempool.add(raw)
    else {
      const transaction = createTransaction(decodeTransaction(raw), rules)
      await mempool.addKnown({ transaction, hash: transaction.hash(), sender, impersonated })
    }
  } catch (error) {
    if (!(error instanceof TransactionRejectedError)) throw error
  }
}
