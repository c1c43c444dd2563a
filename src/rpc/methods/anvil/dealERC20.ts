import { RpcError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'
import { encodeCall } from '../tokenCall.js'

/** `balanceOf(address)` of ERC-20. */
const BALANCE_OF = '70a08231'

/** anvil_dealERC20: sets what a holder has of a token, in the slot that its balanceOf reads. */
export const dealERC20 = defineMethod(
  'anvil_dealERC20',
  [required('holder', address), required('token', address), required('amount', controlNumber)],
  async ({ backend }, holder, token, amount) => {
    const call = { to: token, data: encodeCall(BALANCE_OF, [holder]) }
    if (await backend.controls.setCallResult(call, amount)) return null
    throw new RpcError(-32603, 'Unable to set ERC20 balance, no slot found')
  },
)
