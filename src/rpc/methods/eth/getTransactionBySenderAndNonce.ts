import { WireBytes } from '../../wire.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/bytes.js'
import { controlNumber } from '../../params/numbers.js'
import { findBySenderAndNonce } from '../senderAndNonce.js'
import { foundPending } from './getTransactionByHash.js'

/**
 * eth_getTransactionBySenderAndNonce: returns a sender's transaction with a nonce, or null; in anvil also a pending
 * one.
 */
export const getTransactionBySenderAndNonce = defineMethod(
  'eth_getTransactionBySenderAndNonce',
  [required('sender', address), required('nonce', controlNumber)],
  async ({ view, backend }, sender, nonce) => {
    const found = await findBySenderAndNonce(view, sender, nonce)
    if (found !== undefined) return new WireBytes([view.wire(found.block).transaction(found.index)])
    if (!backend.settings.compatibility.lookupsUseNextBlock) return null
    const { pending, queued } = backend.mempool.contentFrom(sender)
    const pooled = [...pending, ...queued].find(({ transaction }) => transaction.nonce === nonce)
    return foundPending(backend, pooled)
  },
)
