import { defineMethod } from '../../method.js'

/** anvil_removeBlockTimestampInterval: lets the clock decide about the time of blocks again; whether it did not. */
export const removeBlockTimestampInterval = defineMethod(
  'anvil_removeBlockTimestampInterval',
  [],
  async ({ backend }) => backend.controls.setBlockTimestampInterval(undefined),
)
