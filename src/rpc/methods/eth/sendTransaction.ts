import { callObject } from '../../params/callObject.js'
import { defineMethod, required } from '../../method.js'
import { answerSent } from '../sent.js'
import { checkHardhatTransaction } from '../hardhatRequest.js'
import { transactionRequest } from '../transactionRequest.js'

/** eth_sendTransaction: signs a transaction of one of the node's accounts, takes it and answers its hash. */
export const sendTransaction = defineMethod(
  'eth_sendTransaction',
  [required('transaction', callObject)],
  ({ backend }, call) => {
    const { compatibility } = backend.settings
    if (compatibility.requestChecks === 'hardhat') checkHardhatTransaction(call, backend.chain.chainId)
    return answerSent(backend, () => backend.pool.send(transactionRequest(call, compatibility)))
  },
)
