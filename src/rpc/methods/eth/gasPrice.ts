import { maxBigint } from '../../../encoding/bigints.js'
import { quantity } from '../../../encoding/hex.js'
import { whenReady } from '../../../encoding/timeSlice.js'
import { baseFeeAfter, blobBaseFeeAt } from '../../fees/blockFees.js'
import { defineMethod } from '../../method.js'

/** eth_maxPriorityFeePerGas: returns the suggested tip in wei per gas. */
export const maxPriorityFeePerGas = defineMethod('eth_maxPriorityFeePerGas', [], ({ backend }) =>
  whenReady(backend.suggestedTip(), quantity),
)

/** eth_blobBaseFee: returns the head's blob base fee; null before Cancun. */
export const blobBaseFee = defineMethod('eth_blobBaseFee', [], ({ view }) => {
  const fee = blobBaseFeeAt(view, view.head().header)
  return fee === undefined ? null : quantity(fee)
})

/** eth_baseFee: returns the next block's base fee; null before London. */
export const baseFee = defineMethod('eth_baseFee', [], ({ view, backend }) => {
  const fee = backend.controls.imposedBaseFee() ?? baseFeeAfter(view, view.head().header)
  return fee === undefined ? null : quantity(fee)
})

/**
 * eth_gasPrice: suggests a gas price in wei: the suggested tip plus the head's base fee, or a higher one that a control
 * has set for the next block. In anvil and hardhat it always uses the next block's base fee.
 */
export const gasPrice = defineMethod('eth_gasPrice', [], ({ view, backend }) => {
  const { controls, settings } = backend
  const { header } = view.head()
  const { compatibility } = settings
  const price = controls.gasPrice()
  if (price !== undefined) return quantity(price)
  const imposed = controls.imposedBaseFee()
  const baseFee = header.baseFeePerGas ?? 0n
  const least = compatibility.gasPriceUsesNextBaseFee
    ? (imposed ?? baseFeeAfter(view, header) ?? 0n)
    : maxBigint(baseFee, imposed ?? baseFee)
  return whenReady(backend.suggestedTip(), (tip) => quantity(least + tip))
})
