import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'

/** miner_setEtherbase: sets who gets the fees of blocks from the next on. */
export const setEtherbase = defineMethod(
  'miner_setEtherbase',
  [required('address', address)],
  async ({ backend }, address) => {
    await backend.controls.setCoinbase(address)
    return null
  },
)
