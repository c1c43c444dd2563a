import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { blobTransactionRequest } from '../transactionRequest.js'
import { rawAndTransaction } from './signTransaction.js'

/** eth_fillTransaction: completes a transaction, with the proofs of its blobs, without signing or sending it. */
export const fillTransaction = defineMethod(
  'eth_fillTransaction',
  [required('transaction', callObject)],
  async ({ backend }, given) => {
    const { blobs, commitments, proofs, blobVersionedHashes: versionedHashes } = given
    const call = blobTransactionRequest(given, backend.settings.compatibility)
    return rawAndTransaction(
      await backend.wallet.complete(
        call,
        blobs === undefined ? undefined : { blobs, commitments, proofs, versionedHashes },
      ),
    )
  },
)
