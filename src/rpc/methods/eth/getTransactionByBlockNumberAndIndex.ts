import { blockNumber } from '../../params/blockSelector.js'
import { index } from '../../params/numbers.js'
import { findBlock, isPending, pendingFieldsOf } from '../findBlock.js'
import { pendingTransactionText } from '../../format/block.js'
import { WireBytes } from '../../wire.js'
import { transactionAt } from './getTransactionByBlockHashAndIndex.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionByBlockNumberAndIndex: returns a transaction by block number or tag and index. */
export const getTransactionByBlockNumberAndIndex = defineMethod(
  'eth_getTransactionByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  async (call, selector, position) => {
    const { view, backend } = call
    if (isPending(selector)) {
      if (backend.settings.compatibility.missing === 'anvil') return null
      const { block } = await view.pendingBlock()
      return new WireBytes([pendingTransactionText(block, position, pendingFieldsOf(call))])
    }
    return transactionAt(view, findBlock(view, selector), position)
  },
)
