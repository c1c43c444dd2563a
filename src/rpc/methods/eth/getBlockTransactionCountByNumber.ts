import { quantity } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { findBlock, isPending, noBlockOfNumber } from '../findBlock.js'

/** eth_getBlockTransactionCountByHash: returns a block's number of transactions. */
export const getBlockTransactionCountByHash = defineMethod(
  'eth_getBlockTransactionCountByHash',
  [required('hash', hash)],
  ({ view }, blockHash) => {
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : quantity(block.transactions.length)
  },
)

/** eth_getBlockTransactionCountByNumber: returns a block's number of transactions. */
export const getBlockTransactionCountByNumber = defineMethod(
  'eth_getBlockTransactionCountByNumber',
  [required('block', blockNumber)],
  async (call, selector) => {
    const { view } = call
    if (isPending(selector)) return quantity((await view.pendingBlock()).block.transactions.length)
    const block = findBlock(view, selector)
    return block === undefined ? noBlockOfNumber(call, selector) : quantity(block.transactions.length)
  },
)
