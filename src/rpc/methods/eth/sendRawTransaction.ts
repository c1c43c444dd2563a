import { bytesToHex } from '../../../encoding/hex.js'
import { data } from '../../params/data.js'
import { defineMethod, required } from '../../method.js'

/** eth_sendRawTransaction: takes a signed transaction and answers its hash. */
export const sendRawTransaction = defineMethod(
  'eth_sendRawTransaction',
  [required('transaction', data)],
  async ({ backend }, raw) => bytesToHex(await backend.pool.sendRaw(raw)),
)
