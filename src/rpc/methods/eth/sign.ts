import { bytesToHex } from '../../../encoding/hex.js'
import { address } from '../../params/address.js'
import { data } from '../../params/data.js'
import { defineMethod, required } from '../../method.js'

/** eth_sign: signs a message with the prefix of EIP-191. */
export const sign = defineMethod(
  'eth_sign',
  [required('address', address), required('message', data)],
  ({ backend }, account, message) => bytesToHex(backend.accounts.signMessage(account, message)),
)
