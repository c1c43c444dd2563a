import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { knows } from '../knownAccount.js'

/** personal_lockAccount: whether the node knows an account; keys are never locked here. */
export const lockAccount = defineMethod(
  'personal_lockAccount',
  [required('address', address)],
  ({ backend }, account) => knows(backend, account),
)
