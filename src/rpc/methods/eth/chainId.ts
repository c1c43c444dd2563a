import { quantity } from '../../../encoding/quantity.js'
import { defineMethod } from '../../method.js'

/** eth_chainId: the chain id that transactions are signed for. */
export const chainId = defineMethod('eth_chainId', [], ({ view }) => quantity(view.chainId))
