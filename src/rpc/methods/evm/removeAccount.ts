import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { passphrase } from '../../params/text.js'

/** evm_removeAccount: takes back evm_addAccount; false if there is nothing to take back. */
export const removeAccount = defineMethod(
  'evm_removeAccount',
  [required('address', address), required('passphrase', passphrase)],
  async ({ backend }, account) => backend.controls.stopImpersonating(account),
)
