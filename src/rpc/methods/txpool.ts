import { quantity } from '../../encoding/quantity.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { poolAddresses, poolText, pooledSummary, pooledText, queuesText } from '../format/pool.js'
import { type Method, defineMethod, required } from '../method.js'
import { address } from '../params/bytes.js'
import { WireBytes } from '../wire.js'

/** txpool_status: how many transactions can be executed now, and how many wait behind a gap. */
export const status = defineMethod('txpool_status', [], ({ backend }) => {
  const senders = backend.pool.content()
  const count = (which: 'pending' | 'queued'): number =>
    senders.reduce((sum, queues) => sum + queues[which].length, 0)
  return { pending: quantity(count('pending')), queued: quantity(count('queued')) }
})

/** txpool_inspect: every waiting transaction in one line each, by sender and nonce. */
export const inspect = defineMethod('txpool_inspect', [], async ({ backend: { pool, settings } }) => {
  const write = poolAddresses(settings.compatibility)
  const text = poolText(pool.content(), write, pooledSummary(write))
  return new WireBytes([await runInSlices(text, new TimeSlice())])
})

/** txpool_contentFrom: the waiting transactions of one sender, by nonce. */
export const contentFrom = defineMethod(
  'txpool_contentFrom',
  [required('address', address)],
  async ({ backend }, sender) => {
    const text = queuesText(backend.pool.contentFrom(sender), pooledText)
    return new WireBytes([await runInSlices(text, new TimeSlice())])
  },
)

/** txpool_content: every waiting transaction, by sender and nonce. */
export const content = defineMethod('txpool_content', [], async ({ backend: { pool, settings } }) => {
  const text = poolText(pool.content(), poolAddresses(settings.compatibility), pooledText)
  return new WireBytes([await runInSlices(text, new TimeSlice())])
})

/** The methods whose names begin with `txpool_`. */
export const txpoolMethods: readonly Method[] = [content, contentFrom, inspect, status]
