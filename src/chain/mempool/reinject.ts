import { bytesToPlainHex } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { TransactionRejectedError } from '../errors.js'
import type { ForkRules } from '../types.js'
import { createTransaction } from './create.js'
import { decodeTransaction } from './decode.js'
import type { Mempool } from './mempool.js'
import type { StoredPooled } from './pooledStore.js'

/**
 * Adds transactions to the mempool that were accepted before: after a restart, or after a reorganisation removed their
 * block (geth: core/txpool/legacypool, reinject). Transactions that have become invalid are dropped.
 *
 * Transactions of one sender are added in the order of their nonces: with a gap before them, some would be refused.
 */
export async function reinject(
  mempool: Mempool,
  rules: ForkRules,
  transactions: readonly StoredPooled[],
): Promise<void> {
  const slice = new TimeSlice()
  for (const stored of await byNonce(transactions, slice)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    try {
      await reinjectOne(mempool, rules, stored)
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
    }
  }
}

async function reinjectOne(
  mempool: Mempool,
  rules: ForkRules,
  { raw, sender, impersonated }: StoredPooled,
): Promise<void> {
  if (!impersonated) await mempool.add(raw)
  else {
    const transaction = createTransaction(decodeTransaction(raw), rules)
    await mempool.addKnown({ transaction, hash: transaction.hash(), sender, impersonated })
  }
}

/** Sorts the transactions of each sender by nonce; senders keep their places in the list. */
async function byNonce(transactions: readonly StoredPooled[], slice: TimeSlice): Promise<StoredPooled[]> {
  const named: { stored: StoredPooled; sender: string; nonce: bigint }[] = []
  for (const stored of transactions) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const { nonce } = decodeTransaction(stored.raw)
    named.push({ stored, sender: bytesToPlainHex(stored.sender), nonce })
  }
  const queues = new Map<string, StoredPooled[]>(named.map(({ sender }) => [sender, []]))
  for (const { stored, sender } of named.toSorted((a, b) => Number(a.nonce - b.nonce))) {
    queues.get(sender)?.push(stored)
  }
  const next = new Map([...queues].map(([sender, queue]) => [sender, queue.values()]))
  return named.map(({ sender, stored }) => next.get(sender)?.next().value ?? stored)
}
