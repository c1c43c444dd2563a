import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** hardhat_setBlockTimestampInterval: fixes the time between a block and its parent, in milliseconds. */
export const setBlockTimestampInterval = defineMethod(
  'hardhat_setBlockTimestampInterval',
  [required('milliseconds', controlNumber)],
  async ({ backend }, milliseconds) => {
    await backend.controls.setBlockTimestampInterval(milliseconds / 1000n)
    return null
  },
)
