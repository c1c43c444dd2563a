import { data } from '../../params/bytes.js'
import { defineMethod, required } from '../../method.js'
import { answerSent } from '../sent.js'

/** eth_sendRawTransaction: takes a signed transaction and answers its hash. */
export const sendRawTransaction = defineMethod(
  'eth_sendRawTransaction',
  [required('transaction', data)],
  ({ backend }, raw) => answerSent(backend, () => backend.pool.sendRaw(raw)),
)
