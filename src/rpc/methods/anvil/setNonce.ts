import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlUint64 } from '../../params/controlUint64.js'

/** anvil_setNonce: sets the nonce that the next transaction of an account has to have. */
export const setNonce = defineMethod(
  'anvil_setNonce',
  [required('address', address), required('nonce', controlUint64)],
  async ({ backend }, address, nonce) => {
    await backend.controls.setNonce(address, nonce)
    return null
  },
)
