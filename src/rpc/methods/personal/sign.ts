import { bytesToHex } from '../../../encoding/hex.js'
import { address } from '../../params/address.js'
import { data } from '../../params/data.js'
import { defineMethod, required } from '../../method.js'

/** personal_sign: eth_sign with its arguments the other way round. */
export const sign = defineMethod(
  'personal_sign',
  [required('message', data), required('address', address)],
  ({ backend }, message, account) => bytesToHex(backend.accounts.signMessage(account, message)),
)
