import { quantity } from '../../../encoding/quantity.js'
import { defineMethod } from '../../method.js'

/** txpool_status: how many transactions can be executed now, and how many wait behind a gap. */
export const status = defineMethod('txpool_status', [], ({ backend }) => {
  const senders = backend.pool.content()
  const count = (which: 'pending' | 'queued'): number =>
    senders.reduce((sum, queues) => sum + queues[which].length, 0)
  return { pending: quantity(count('pending')), queued: quantity(count('queued')) }
})
