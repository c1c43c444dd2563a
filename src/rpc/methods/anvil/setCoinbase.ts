import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'

/** anvil_setCoinbase: sets who gets the fees of blocks from the next on. */
export const setCoinbase = defineMethod(
  'anvil_setCoinbase',
  [required('address', address)],
  async ({ backend }, address) => {
    await backend.controls.setCoinbase(address)
    return null
  },
)
