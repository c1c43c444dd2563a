import { bytesToHex } from '../../../encoding/hex.js'
import { address } from '../../params/address.js'
import { typedData } from '../../params/typedData.js'
import { defineMethod, required } from '../../method.js'

/** eth_signTypedData_v4: signs typed data by EIP-712, given as an object or as its JSON text. */
export const signTypedData_v4 = defineMethod(
  'eth_signTypedData_v4',
  [required('address', address), required('typedData', typedData)],
  async ({ backend }, account, given) => bytesToHex(await backend.accounts.signTypedData(account, given)),
)
