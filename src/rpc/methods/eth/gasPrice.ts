import { quantity } from '../../../encoding/quantity.js'
import { suggestTip } from '../../fees/suggestTip.js'
import { defineMethod } from '../../method.js'

/**
 * eth_gasPrice: a price per gas in wei that is good now: the base fee of the head, or a higher one that a control has
 * set for the next block, and the suggested tip.
 */
export const gasPrice = defineMethod('eth_gasPrice', [], ({ view, backend }) => {
  const { gasPrice: price, imposedBaseFee } = backend.controls
  const baseFee = view.head().header.baseFeePerGas ?? 0n
  const imposed = imposedBaseFee() ?? 0n
  return quantity(
    price() ?? (baseFee > imposed ? baseFee : imposed) + suggestTip(view, backend.settings.startTip),
  )
})
