import { waitingText } from '../../format/transaction.js'
import { writtenTexts } from '../../format/pieces.js'
import { defineMethod } from '../../method.js'

/**
 * eth_pendingTransactions: the transactions that wait for a block; first those that can be executed, sender by sender
 * in the order of their nonces, then those behind a gap.
 */
export const pendingTransactions = defineMethod('eth_pendingTransactions', [], ({ backend }) => {
  const queues = backend.mempool.content()
  const waiting = [...queues.flatMap(({ pending }) => pending), ...queues.flatMap(({ queued }) => queued)]
  return writtenTexts(waiting, (pooled) => waitingText(pooled, backend.settings.compatibility))
})
