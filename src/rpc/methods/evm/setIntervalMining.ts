import { controlNumber } from '../../params/controlNumber.js'
import { defineMethod, required } from '../../method.js'

/** evm_setIntervalMining: mines a block every so many seconds; 0 ends that. */
export const setIntervalMining = defineMethod(
  'evm_setIntervalMining',
  [required('seconds', controlNumber)],
  async ({ backend }, seconds) => {
    await backend.controls.setIntervalMining(Number(seconds) * 1000)
    return null
  },
)
