import { blockWire, pendingBlockWire } from '../../format/block.js'
import { findBlock, isPending, pendingFieldsOf } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { boolean } from '../../params/bytes.js'

/** eth_getBlockByNumber: a block by number or tag. */
export const getBlockByNumber = defineMethod(
  'eth_getBlockByNumber',
  [required('block', blockNumber), required('fullTransactions', boolean)],
  async (call, selector, fullTransactions) => {
    const { view, backend } = call
    const { totalDifficulty } = backend.settings
    const shape = { fullTransactions, totalDifficulty }
    if (isPending(selector)) {
      return pendingBlockWire((await view.pendingBlock()).block, shape, pendingFieldsOf(call))
    }
    const block = findBlock(view, selector)
    return block === undefined ? null : blockWire(view, block, shape)
  },
)
