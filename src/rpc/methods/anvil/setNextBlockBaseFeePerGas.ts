import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setNextBlockBaseFeePerGas: sets the base fee of the next block alone, in wei per gas. */
export const setNextBlockBaseFeePerGas = defineMethod(
  'anvil_setNextBlockBaseFeePerGas',
  [required('baseFee', controlNumber)],
  async ({ backend }, baseFee) => {
    await backend.controls.setNextBaseFee(baseFee)
    return null
  },
)
