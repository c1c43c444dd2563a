import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { transactionRequest } from '../transactionRequest.js'
import { rawAndTransaction } from './rawAndTransaction.js'

/** eth_signTransaction: signs a transaction without sending it. */
export const signTransaction = defineMethod(
  'eth_signTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) =>
    rawAndTransaction(await backend.accounts.signTransaction(transactionRequest(call))),
)
