import { quantity } from '../../../encoding/quantity.js'
import { blockNumber } from '../../params/blockNumber.js'
import { findBlock, isPending } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'

/** eth_getBlockTransactionCountByNumber: how many transactions a block has. */
export const getBlockTransactionCountByNumber = defineMethod(
  'eth_getBlockTransactionCountByNumber',
  [required('block', blockNumber)],
  async ({ view }, selector) => {
    if (isPending(selector)) return quantity((await view.pendingBlock()).block.transactions.length)
    const block = findBlock(view, selector)
    return block === undefined ? null : quantity(block.transactions.length)
  },
)
