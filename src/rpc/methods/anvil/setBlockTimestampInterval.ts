import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setBlockTimestampInterval: fixes the seconds between a block and its parent. */
export const setBlockTimestampInterval = defineMethod(
  'anvil_setBlockTimestampInterval',
  [required('seconds', controlNumber)],
  async ({ backend }, seconds) => {
    await backend.controls.setBlockTimestampInterval(seconds)
    return null
  },
)
