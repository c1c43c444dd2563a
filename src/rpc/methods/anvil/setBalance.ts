import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setBalance: sets the balance of an account in wei. */
export const setBalance = defineMethod(
  'anvil_setBalance',
  [required('address', address), required('balance', controlNumber)],
  async ({ backend }, address, balance) => {
    await backend.controls.setBalance(address, balance)
    return null
  },
)
