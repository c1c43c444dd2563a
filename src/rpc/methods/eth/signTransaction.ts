import { jsonBytes } from '../../format/members.js'
import { signedTransactionText } from '../../format/transaction.js'
import { callObject } from '../../params/callObject.js'
import { WireBytes } from '../../wire.js'
import { defineMethod, required } from '../../method.js'
import { transactionRequest } from '../transactionRequest.js'

/** eth_signTransaction: signs a transaction without sending it. */
export const signTransaction = defineMethod(
  'eth_signTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) => {
    const signed = await backend.accounts.signTransaction(transactionRequest(call))
    return new WireBytes([`{"raw":${jsonBytes(signed.raw)},"tx":${signedTransactionText(signed)}}`])
  },
)
