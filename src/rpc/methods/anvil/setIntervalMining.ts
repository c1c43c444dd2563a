import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setIntervalMining: mines a block every so many seconds; 0 ends that. */
export const setIntervalMining = defineMethod(
  'anvil_setIntervalMining',
  [required('seconds', controlNumber)],
  async ({ backend }, seconds) => {
    await backend.controls.setIntervalMining(Number(seconds) * 1000)
    return null
  },
)
