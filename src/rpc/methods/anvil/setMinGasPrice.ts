import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** anvil_setMinGasPrice: sets the least gas price in wei; only before London. */
export const setMinGasPrice = defineMethod(
  'anvil_setMinGasPrice',
  [required('gasPrice', controlNumber)],
  async ({ backend }, gasPrice) => {
    await backend.controls.setMinGasPrice(gasPrice)
    return null
  },
)
