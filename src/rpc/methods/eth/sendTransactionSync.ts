import { callObject } from '../../params/callObject.js'
import { defineMethod, optional, required } from '../../method.js'
import { milliseconds } from '../../params/numbers.js'
import { transactionRequest } from '../transactionRequest.js'
import { awaitReceipt } from '../sent.js'

/** eth_sendTransactionSync: as eth_sendTransaction, but answers the receipt once the transaction is mined. */
export const sendTransactionSync = defineMethod(
  'eth_sendTransactionSync',
  [required('transaction', callObject), optional('timeout', milliseconds)],
  async (call, transaction, timeout) => {
    const { pool, settings } = call.backend
    return awaitReceipt(
      call,
      await pool.send(transactionRequest(transaction, settings.compatibility)),
      timeout,
    )
  },
)
