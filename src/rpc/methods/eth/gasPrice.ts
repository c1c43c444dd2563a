import { quantity } from '../../../encoding/quantity.js'
import { suggestTip } from '../../fees/suggestTip.js'
import { defineMethod } from '../../method.js'

/** eth_gasPrice: a price per gas in wei that is good now: the base fee of the head and the suggested tip. */
export const gasPrice = defineMethod('eth_gasPrice', [], ({ view, backend }) =>
  quantity(backend.controls.gasPrice() ?? (view.head().header.baseFeePerGas ?? 0n) + suggestTip(view)),
)
