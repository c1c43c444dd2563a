import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'

/** anvil_impersonateAccount: takes transactions of an account without a signature from now on, a contract too. */
export const impersonateAccount = defineMethod(
  'anvil_impersonateAccount',
  [required('address', address)],
  async ({ backend }, address) => {
    await backend.controls.impersonate(address)
    return null
  },
)
