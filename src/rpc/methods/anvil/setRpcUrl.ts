import { defineMethod, required } from '../../method.js'
import { httpUrl } from '../../params/httpUrl.js'

/** anvil_setRpcUrl: asks another node of the chain that a fork goes on from; without a fork it does nothing. */
export const setRpcUrl = defineMethod(
  'anvil_setRpcUrl',
  [required('url', httpUrl)],
  async ({ backend }, url) => {
    await backend.controls.setRemote(url)
    return null
  },
)
