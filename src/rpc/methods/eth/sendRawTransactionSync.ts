import { data } from '../../params/bytes.js'
import { defineMethod, optional, required } from '../../method.js'
import { milliseconds } from '../../params/numbers.js'
import { awaitReceipt } from '../sent.js'

/** eth_sendRawTransactionSync: takes a signed transaction and answers its receipt once it is mined (EIP-7966). */
export const sendRawTransactionSync = defineMethod(
  'eth_sendRawTransactionSync',
  [required('transaction', data), optional('timeout', milliseconds)],
  async (call, raw, timeout) => awaitReceipt(call, await call.backend.pool.sendRaw(raw), timeout),
)
