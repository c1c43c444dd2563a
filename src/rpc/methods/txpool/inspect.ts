import { pooledSummary, poolText } from '../../format/pool.js'
import { defineMethod } from '../../method.js'
import { WireBytes } from '../../wire.js'

/** txpool_inspect: every waiting transaction in one line each, by sender and nonce. */
export const inspect = defineMethod(
  'txpool_inspect',
  [],
  ({ backend }) => new WireBytes([poolText(backend.pool.content(), pooledSummary)]),
)
