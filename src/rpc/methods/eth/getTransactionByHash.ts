import { hash } from '../../params/bytes.js'
import { waitingText } from '../../format/transaction.js'
import { WireBytes } from '../../wire.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionByHash: a transaction by its hash, mined or waiting. */
export const getTransactionByHash = defineMethod(
  'eth_getTransactionByHash',
  [required('hash', hash)],
  ({ view, backend }, transactionHash) => {
    const location = view.transactionLocation(transactionHash)
    if (location !== undefined) return new WireBytes([view.wire(location.block).transaction(location.index)])
    const pooled = backend.mempool.get(transactionHash)
    return pooled === undefined ? null : new WireBytes([waitingText(pooled, backend.settings.compatibility)])
  },
)
