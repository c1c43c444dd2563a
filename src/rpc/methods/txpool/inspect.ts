import { runInSlices, TimeSlice } from '../../../encoding/timeSlice.js'
import { poolAddresses, pooledSummary, poolText } from '../../format/pool.js'
import { defineMethod } from '../../method.js'
import { WireBytes } from '../../wire.js'

/** txpool_inspect: every waiting transaction in one line each, by sender and nonce. */
export const inspect = defineMethod('txpool_inspect', [], async ({ backend: { pool, settings } }) => {
  const write = poolAddresses(settings.compatibility)
  const text = poolText(pool.content(), write, pooledSummary(write))
  return new WireBytes([await runInSlices(text, new TimeSlice())])
})
