import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { answerSent } from '../sent.js'
import { transactionRequest } from '../transactionRequest.js'

/** eth_sendTransaction: signs a transaction of one of the node's accounts, takes it and answers its hash. */
export const sendTransaction = defineMethod(
  'eth_sendTransaction',
  [required('transaction', callObject)],
  ({ backend }, call) =>
    answerSent(backend, () => backend.pool.send(transactionRequest(call, backend.settings.compatibility))),
)
