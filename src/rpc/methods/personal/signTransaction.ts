import { bytesToHex } from '../../../encoding/hex.js'
import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { passphrase } from '../../params/text.js'
import { transactionRequest } from '../transactionRequest.js'

/** personal_signTransaction: signs a transaction without sending it; the signed transaction, as ganache answers. */
export const signTransaction = defineMethod(
  'personal_signTransaction',
  [required('transaction', callObject), required('passphrase', passphrase)],
  async ({ backend }, call) => {
    const { raw } = await backend.accounts.signTransaction(
      transactionRequest(call, backend.settings.compatibility),
    )
    return bytesToHex(raw)
  },
)
