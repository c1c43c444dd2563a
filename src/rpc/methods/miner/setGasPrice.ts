import { defineMethod, required } from '../../method.js'
import { controlNumber } from '../../params/controlNumber.js'

/** miner_setGasPrice: makes eth_gasPrice answer so many wei per gas. */
export const setGasPrice = defineMethod(
  'miner_setGasPrice',
  [required('gasPrice', controlNumber)],
  async ({ backend }, gasPrice) => {
    await backend.controls.setGasPrice(gasPrice)
    return null
  },
)
