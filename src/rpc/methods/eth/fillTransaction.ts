import { jsonBytes } from '../../format/pieces.js'
import { pendingTransactionText } from '../../format/transaction.js'
import { WireBytes } from '../../wire.js'
import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { blobTransactionRequest, givenSidecar } from '../transactionRequest.js'
import { rawAndTransaction } from './signTransaction.js'

/**
 * eth_fillTransaction: completes a transaction, including its blob proofs, without signing or sending it. In anvil it
 * is returned as a pending transaction.
 */
export const fillTransaction = defineMethod(
  'eth_fillTransaction',
  [required('transaction', callObject)],
  async ({ backend }, given) => {
    const { wallet, keyring, settings } = backend
    const { compatibility } = settings
    const request = blobTransactionRequest(given, compatibility)
    const sender = compatibility.fillReturnsPendingTransaction ? (request.from ?? keyring.first) : undefined
    const completed = await wallet.complete(request, { from: sender, given: givenSidecar(given) })
    if (sender === undefined) return rawAndTransaction(completed)
    const pending = pendingTransactionText({ ...completed, sender }, compatibility)
    return new WireBytes([`{"raw":${jsonBytes(completed.raw)},"tx":${pending}}`])
  },
)
