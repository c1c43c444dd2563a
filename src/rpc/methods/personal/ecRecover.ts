import { bytesToHex } from '../../../encoding/hex.js'
import { data } from '../../params/data.js'
import { signature } from '../../params/signature.js'
import { defineMethod, required } from '../../method.js'

/** personal_ecRecover: who signed a message by EIP-191. */
export const ecRecover = defineMethod(
  'personal_ecRecover',
  [required('message', data), required('signature', signature)],
  ({ backend }, message, signed) => bytesToHex(backend.accounts.messageSigner(message, signed)),
)
