import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setChainId: changes the chain id at once, until the node stops. */
export const setChainId = defineMethod(
  'anvil_setChainId',
  [required('chainId', controlNumber)],
  async ({ backend }, chainId) => {
    await backend.controls.setChainId(chainId)
    return null
  },
)
