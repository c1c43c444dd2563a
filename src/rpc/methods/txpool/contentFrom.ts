import { runInSlices, TimeSlice } from '../../../encoding/timeSlice.js'
import { pooledText, queuesText } from '../../format/pool.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { WireBytes } from '../../wire.js'

/** txpool_contentFrom: the waiting transactions of one sender, by nonce. */
export const contentFrom = defineMethod(
  'txpool_contentFrom',
  [required('address', address)],
  async ({ backend }, sender) => {
    const text = queuesText(backend.pool.contentFrom(sender), pooledText)
    return new WireBytes([await runInSlices(text, new TimeSlice())])
  },
)
