import { quantity } from '../../../encoding/quantity.js'
import { blobBaseFeeAt } from '../../fees/nextFees.js'
import { defineMethod } from '../../method.js'

/** eth_blobBaseFee: the price of blob gas in the head; null before Cancun. */
export const blobBaseFee = defineMethod('eth_blobBaseFee', [], ({ view }) => {
  const fee = blobBaseFeeAt(view, view.head().header)
  return fee === undefined ? null : quantity(fee)
})
