import { hexToBytes } from '../../../encoding/hex.js'
import { RpcError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/bytes.js'
import { controlNumber } from '../../params/numbers.js'

/** Encodes a contract call with 20-byte addresses as arguments. @param selector - 8 digits */
function encodeCall(selector: string, addresses: readonly Uint8Array[]): Uint8Array {
  const data = new Uint8Array(4 + 32 * addresses.length)
  data.set(hexToBytes(selector))
  addresses.forEach((address, index) => data.set(address, 4 + 32 * index + 12))
  return data
}

/** Selector of ERC-20's `allowance(address,address)`. */
const ALLOWANCE = 'dd62ed3e'

/** anvil_setERC20Allowance: sets a spender's allowance by writing the slot that `allowance` reads. */
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

/** Selector of ERC-20's `balanceOf(address)`. */
const BALANCE_OF = '70a08231'

/** anvil_dealERC20: sets a holder's token balance by writing the slot that `balanceOf` reads. */
export const dealERC20 = defineMethod(
  'anvil_dealERC20',
  [required('holder', address), required('token', address), required('amount', controlNumber)],
  async ({ backend }, holder, token, amount) => {
    const call = { to: token, data: encodeCall(BALANCE_OF, [holder]) }
    if (await backend.controls.setCallResult(call, amount)) return null
    throw new RpcError(-32603, 'Unable to set ERC20 balance, no slot found')
  },
)
