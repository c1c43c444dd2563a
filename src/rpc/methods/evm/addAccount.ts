import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { passphrase } from '../../params/text.js'
import { knows } from '../knownAccount.js'

/**
 * evm_addAccount: takes transactions of an account that the node has no key of; false if it did already. The
 * passphrase means nothing here.
 */
export const addAccount = defineMethod(
  'evm_addAccount',
  [required('address', address), required('passphrase', passphrase)],
  async ({ backend }, account) => {
    if (knows(backend, account)) return false
    await backend.controls.impersonate(account)
    return true
  },
)
