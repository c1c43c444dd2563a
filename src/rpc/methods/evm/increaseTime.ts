import { controlNumber } from '../../params/controlNumber.js'
import { defineMethod, required } from '../../method.js'

/** evm_increaseTime: moves the clock forward by seconds and answers how many it is ahead altogether. */
export const increaseTime = defineMethod(
  'evm_increaseTime',
  [required('seconds', controlNumber)],
  async ({ backend }, seconds) => Number(await backend.controls.increaseTime(seconds)),
)
