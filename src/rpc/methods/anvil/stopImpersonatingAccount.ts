import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'

/** anvil_stopImpersonatingAccount: takes transactions of an account with a signature only. */
export const stopImpersonatingAccount = defineMethod(
  'anvil_stopImpersonatingAccount',
  [required('address', address)],
  async ({ backend }, address) => {
    await backend.controls.stopImpersonating(address)
    return null
  },
)
