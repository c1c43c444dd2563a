import { quantity } from '../../../encoding/quantity.js'
import { blockNumber } from '../../params/blockNumber.js'
import { findBlock } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'

/** eth_getUncleCountByBlockNumber: how many uncles a block has. */
export const getUncleCountByBlockNumber = defineMethod(
  'eth_getUncleCountByBlockNumber',
  [required('block', blockNumber)],
  ({ view }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? null : quantity(block.uncleHashes.length)
  },
)
