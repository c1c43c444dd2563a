import { blockNumber } from '../../params/blockSelector.js'
import { blockWire } from '../../format/block.js'
import { pendingBlockWire } from '../../format/pendingBlock.js'
import { boolean } from '../../params/scalars.js'
import { findBlock, isPending } from '../findBlock.js'
import { pendingFieldsOf } from '../pendingFields.js'
import { defineMethod, required } from '../../method.js'

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
