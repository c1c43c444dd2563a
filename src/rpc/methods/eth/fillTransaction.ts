import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { transactionRequest } from '../transactionRequest.js'
import { rawAndTransaction } from './signTransaction.js'

/** eth_fillTransaction: completes a transaction without signing or sending it. */
export const fillTransaction = defineMethod(
  'eth_fillTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) =>
    rawAndTransaction(
      await backend.accounts.fillTransaction(transactionRequest(call, backend.settings.compatibility)),
    ),
)
