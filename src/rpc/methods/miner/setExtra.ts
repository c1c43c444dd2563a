import { defineMethod, required } from '../../method.js'
import { data } from '../../params/data.js'

/** miner_setExtra: sets the extra data of blocks from the next on. */
export const setExtra = defineMethod(
  'miner_setExtra',
  [required('extraData', data)],
  async ({ backend }, extraData) => {
    await backend.controls.setExtraData(extraData)
    return null
  },
)
