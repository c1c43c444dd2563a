import { hash } from '../../params/bytes.js'
import { pendingTransactionText } from '../../format/transaction.js'
import { WireBytes } from '../../wire.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionByHash: returns a mined or pending transaction by hash. */
export const getTransactionByHash = defineMethod(
  'eth_getTransactionByHash',
  [required('hash', hash)],
  ({ view, backend }, transactionHash) => {
    const location = view.transactionLocation(transactionHash)
    if (location !== undefined) return new WireBytes([view.wire(location.block).transaction(location.index)])
    const pooled = backend.mempool.get(transactionHash)
    return pooled === undefined
      ? null
      : new WireBytes([pendingTransactionText(pooled, backend.settings.compatibility)])
  },
)
