import { bytesToHex } from '../../../encoding/hex.js'
import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { transactionRequest } from '../transactionRequest.js'

/** eth_sendTransaction: signs a transaction of one of the node's accounts, takes it and answers its hash. */
export const sendTransaction = defineMethod(
  'eth_sendTransaction',
  [required('transaction', callObject)],
  async ({ backend }, call) => bytesToHex(await backend.pool.send(transactionRequest(call))),
)
