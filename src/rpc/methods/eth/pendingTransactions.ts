import { pendingTransactionText } from '../../format/transaction.js'
import { writtenTexts } from '../../format/pieces.js'
import { defineMethod } from '../../method.js'

/**
 * eth_pendingTransactions: returns the mempool: executable transactions first, by sender and nonce, then those behind a
 * nonce gap.
 */
export const pendingTransactions = defineMethod('eth_pendingTransactions', [], ({ backend }) => {
  const queues = backend.mempool.content()
  const transactions = [
    ...queues.flatMap(({ pending }) => pending),
    ...queues.flatMap(({ queued }) => queued),
  ]
  return writtenTexts(transactions, (pooled) =>
    pendingTransactionText(pooled, backend.settings.compatibility),
  )
})
