import { bytesToHex } from '../../../encoding/hex.js'
import { InvalidParamsError } from '../../errors.js'
import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { transactionRequest } from '../transactionRequest.js'

/** eth_sendUnsignedTransaction: takes a transaction of any account without a signature and answers its hash. */
export const sendUnsignedTransaction = defineMethod(
  'eth_sendUnsignedTransaction',
  [required('transaction', callObject)],
  async ({ backend }, given) => {
    const { from = backend.accounts.addresses()[0], ...call } = transactionRequest(
      given,
      backend.settings.compatibility,
    )
    if (from === undefined)
      throw new InvalidParamsError('invalid argument 0: the transaction lacks its sender')
    return bytesToHex(await backend.controls.sendUnsigned({ ...call, from }))
  },
)
