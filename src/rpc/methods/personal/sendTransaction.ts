import { bytesToHex } from '../../../encoding/hex.js'
import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { passphrase } from '../../params/text.js'
import { transactionRequest } from '../transactionRequest.js'

/** personal_sendTransaction: as eth_sendTransaction; the passphrase means nothing here. */
export const sendTransaction = defineMethod(
  'personal_sendTransaction',
  [required('transaction', callObject), required('passphrase', passphrase)],
  async ({ backend }, call) =>
    bytesToHex(await backend.pool.send(transactionRequest(call, backend.settings.compatibility))),
)
