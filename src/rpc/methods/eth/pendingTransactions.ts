import { TimeSlice } from '../../../encoding/timeSlice.js'
import { transactionText } from '../../format/transaction.js'
import { defineMethod } from '../../method.js'
import { wireArray } from '../../wire.js'

/**
 * eth_pendingTransactions: the transactions that wait for a block; first those that can be executed, sender by sender
 * in the order of their nonces, then those behind a gap.
 */
export const pendingTransactions = defineMethod('eth_pendingTransactions', [], async ({ backend }) => {
  const queues = backend.pool.content()
  const waiting = [...queues.flatMap(({ pending }) => pending), ...queues.flatMap(({ queued }) => queued)]
  const slice = new TimeSlice()
  const texts: string[] = []
  for (const pooled of waiting) {
    texts.push(transactionText(pooled, undefined))
    await slice.pause()
  }
  return wireArray(texts)
})
