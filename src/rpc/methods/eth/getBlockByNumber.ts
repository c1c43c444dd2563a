import { blockWire, writePendingBlock } from '../../format/block.js'
import { written } from '../../format/pieces.js'
import { findBlock, isPending, pendingFieldsOf } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { boolean } from '../../params/bytes.js'

/** eth_getBlockByNumber: returns a block by number or tag. */
export const getBlockByNumber = defineMethod(
  'eth_getBlockByNumber',
  [required('block', blockNumber), required('fullTransactions', boolean)],
  async (call, selector, fullTransactions) => {
    const { view, backend } = call
    const { totalDifficulty } = backend.settings
    const shape = { fullTransactions, totalDifficulty }
    if (isPending(selector)) {
      const { block } = await view.pendingBlock()
      const fields = pendingFieldsOf(call)
      return written((writer) => writePendingBlock(block, { shape, fields }, writer))
    }
    const block = findBlock(view, selector)
    return block === undefined ? null : blockWire(view, block, shape)
  },
)
