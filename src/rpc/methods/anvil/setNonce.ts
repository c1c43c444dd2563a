import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setNonce: sets the nonce that the next transaction of an account has to have. */
export const setNonce = defineMethod(
  'anvil_setNonce',
  [required('address', address), required('nonce', controlNumber)],
  async ({ backend }, address, nonce) => {
    await backend.controls.setNonce(address, nonce)
    return null
  },
)
