import { quantity } from '../../../encoding/quantity.js'
import { suggestTip } from '../../fees/suggestTip.js'
import { defineMethod } from '../../method.js'

/** eth_maxPriorityFeePerGas: the suggested tip in wei per gas. */
export const maxPriorityFeePerGas = defineMethod('eth_maxPriorityFeePerGas', [], ({ view, backend }) =>
  quantity(suggestTip(view, backend.settings.startTip)),
)
