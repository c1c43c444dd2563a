import { bytesToPlainHex } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { TransactionRejectedError } from '../errors.js'
import type { ForkRules } from '../types.js'
import { createTransaction } from './create.js'
import { decodeTransaction } from './decode.js'
import type { Mempool } from './mempool.js'
import type { StoredPooled } from './pooledStore.js'

/**
 * Takes transactions in that were in before: after a restart, or when their block has left the chain. What has become
 * unacceptable since is dropped.
 *
 * Those of one sender come in by rising nonce, whatever their order: behind a gap, some would be refused that were in.
 */
export async function readmit(
  mempool: Mempool,
  rules: ForkRules,
  waiting: readonly StoredPooled[],
): Promise<void> {
  const slice = new TimeSlice()
  for (const stored of await byNonce(waiting, slice)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    try {
      await takeIn(mempool, rules, stored)
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
    }
  }
}

async function takeIn(
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

/** The same transactions, with those of each sender by rising nonce in the places that they have among the others. */
async function byNonce(waiting: readonly StoredPooled[], slice: TimeSlice): Promise<StoredPooled[]> {
  const named: { stored: StoredPooled; sender: string; nonce: bigint }[] = []
  for (const stored of waiting) {
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
