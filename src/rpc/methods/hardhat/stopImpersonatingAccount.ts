import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'

/** hardhat_stopImpersonatingAccount: takes transactions of an account with a signature only; whether it was otherwise. */
export const stopImpersonatingAccount = defineMethod(
  'hardhat_stopImpersonatingAccount',
  [required('address', address)],
  async ({ backend }, address) => backend.controls.stopImpersonating(address),
)
