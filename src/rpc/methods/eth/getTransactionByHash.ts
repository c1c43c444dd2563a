import type { PooledTransaction } from '../../../chain/mempool/transaction.js'
import type { Backend } from '../../backend.js'
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
    return foundPending(backend, backend.mempool.get(transactionHash))
  },
)

/** Returns a pending transaction that was looked up, or null. */
export function foundPending(
  { settings: { compatibility }, controls }: Backend,
  pooled: PooledTransaction | undefined,
): WireBytes | null {
  if (pooled === undefined) return null
  const baseFee = compatibility.lookupsUseNextBlock ? controls.facts().baseFee : undefined
  return new WireBytes([pendingTransactionText(pooled, compatibility, baseFee)])
}
