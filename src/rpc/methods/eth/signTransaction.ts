import { bytesToHex } from '../../../encoding/hex.js'
import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { transactionRequest } from '../transactionRequest.js'
import { rawAndTransaction } from './rawAndTransaction.js'

/**
 * eth_signTransaction: signs a transaction without sending it. Anvil and ganache answer the signed transaction alone,
 * and fill in what it lacks.
 */
export const signTransaction = defineMethod(
  'eth_signTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) => {
    const signed = await backend.accounts.signTransaction(
      transactionRequest(call, backend.settings.compatibility),
    )
    return backend.settings.compatibility.fillsBeforeSigning
      ? bytesToHex(signed.raw)
      : rawAndTransaction(signed)
  },
)
