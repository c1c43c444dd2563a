import { bigintToBytes } from '../../../encoding/quantity.js'
import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { controlNumber } from '../../params/controlNumber.js'
import { hash } from '../../params/hash.js'

/** anvil_setStorageAt: sets a slot of an account to 32 bytes; true. */
export const setStorageAt = defineMethod(
  'anvil_setStorageAt',
  [required('address', address), required('slot', controlNumber), required('value', hash)],
  async ({ backend }, address, slot, value) => {
    await backend.controls.setStorage(address, bigintToBytes(slot, 32), value)
    return true
  },
)
