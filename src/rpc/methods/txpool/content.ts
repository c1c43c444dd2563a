import { poolAddresses, pooledText, poolText } from '../../format/pool.js'
import { defineMethod } from '../../method.js'
import { WireBytes } from '../../wire.js'

/** txpool_content: every waiting transaction, by sender and nonce. */
export const content = defineMethod(
  'txpool_content',
  [],
  ({ backend: { pool, settings } }) =>
    new WireBytes([poolText(pool.content(), poolAddresses(settings.habits), pooledText)]),
)
