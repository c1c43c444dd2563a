import type { PoolQueues } from '../../../chain/mempool/senderQueue.js'
import type { PooledTransaction } from '../../../chain/mempool/transaction.js'
import { pendingTransactionText } from '../../format/transaction.js'
import { writtenTexts } from '../../format/pieces.js'
import { defineMethod } from '../../method.js'
import { holdContent } from '../txpool.js'

/**
 * eth_pendingTransactions: returns the mempool: executable transactions first, by sender and nonce, then those behind a
 * nonce gap.
 */
export const pendingTransactions = defineMethod('eth_pendingTransactions', [], async (call) => {
  const { backend } = call
  await holdContent(call)
  const queues = backend.mempool.content()
  return writtenTexts(inOrder(queues), (pooled) =>
    pendingTransactionText(pooled, backend.settings.compatibility),
  )
})

function* inOrder(queues: readonly PoolQueues[]): Generator<PooledTransaction> {
  for (const { pending } of queues) yield* pending
  for (const { queued } of queues) yield* queued
}
