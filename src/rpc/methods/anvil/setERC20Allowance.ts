import { RpcError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'
import { encodeCall } from '../tokenCall.js'

/** `allowance(address,address)` of ERC-20. */
const ALLOWANCE = 'dd62ed3e'

/** anvil_setERC20Allowance: sets how much of a token a spender may take, in the slot that its allowance reads. */
export const setERC20Allowance = defineMethod(
  'anvil_setERC20Allowance',
  [
    required('owner', address),
    required('spender', address),
    required('token', address),
    required('amount', controlNumber),
  ],
  async ({ backend }, owner, spender, token, amount) => {
    const call = { to: token, data: encodeCall(ALLOWANCE, [owner, spender]) }
    if (await backend.controls.setCallResult(call, amount)) return null
    throw new RpcError(-32603, 'Unable to set ERC20 allowance, no slot found')
  },
)
