import { quantity } from '../../../encoding/quantity.js'
import { defineMethod } from '../../method.js'

/** eth_blockNumber: the number of the head. */
export const blockNumber = defineMethod('eth_blockNumber', [], ({ view }) =>
  quantity(view.head().header.number),
)
