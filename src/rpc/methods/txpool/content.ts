import { runInSlices, TimeSlice } from '../../../encoding/timeSlice.js'
import { poolAddresses, pooledText, poolText } from '../../format/pool.js'
import { defineMethod } from '../../method.js'
import { WireBytes } from '../../wire.js'

/** txpool_content: every waiting transaction, by sender and nonce. */
export const content = defineMethod('txpool_content', [], async ({ backend: { pool, settings } }) => {
  const text = poolText(pool.content(), poolAddresses(settings.compatibility), pooledText)
  return new WireBytes([await runInSlices(text, new TimeSlice())])
})
