import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'
import { data } from '../../params/data.js'

/** anvil_setCode: puts runtime code at an address; no bytes take it away. */
export const setCode = defineMethod(
  'anvil_setCode',
  [required('address', address), required('code', data)],
  async ({ backend }, address, code) => {
    await backend.controls.setCode(address, code)
    return null
  },
)
