import { quantity } from '../../../encoding/quantity.js'
import { baseFeeAfter } from '../../fees/nextFees.js'
import { defineMethod } from '../../method.js'

/** eth_baseFee: the base fee of the next block; null before London. */
export const baseFee = defineMethod('eth_baseFee', [], ({ view, backend }) => {
  const fee = backend.controls.imposedBaseFee() ?? baseFeeAfter(view, view.head().header)
  return fee === undefined ? null : quantity(fee)
})
