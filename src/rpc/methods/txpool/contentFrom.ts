import { pooledText, queuesText } from '../../format/pool.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { WireBytes } from '../../wire.js'

/** txpool_contentFrom: the waiting transactions of one sender, by nonce. */
export const contentFrom = defineMethod(
  'txpool_contentFrom',
  [required('address', address)],
  ({ backend }, sender) => new WireBytes([queuesText(backend.pool.contentFrom(sender), pooledText)]),
)
