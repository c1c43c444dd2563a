import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_addBalance: adds wei to the balance of an account. */
export const addBalance = defineMethod(
  'anvil_addBalance',
  [required('address', address), required('wei', controlNumber)],
  async ({ backend }, address, wei) => {
    await backend.controls.addBalance(address, wei)
    return null
  },
)
