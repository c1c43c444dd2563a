import { ServerError } from '../../errors.js'
import { defineMethod, optional, required } from '../../method.js'
import { address } from '../../params/address.js'
import { anything } from '../../params/anything.js'
import { passphrase } from '../../params/text.js'
import { knows } from '../knownAccount.js'

/** personal_unlockAccount: true for an account that the node knows; keys are never locked here. */
export const unlockAccount = defineMethod(
  'personal_unlockAccount',
  [required('address', address), required('passphrase', passphrase), optional('seconds', anything)],
  ({ backend }, account) => {
    if (!knows(backend, account)) throw new ServerError('no key for given address or file')
    return true
  },
)
