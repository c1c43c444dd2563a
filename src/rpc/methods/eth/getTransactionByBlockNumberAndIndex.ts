import { blockNumber } from '../../params/blockSelector.js'
import { index } from '../../params/numbers.js'
import { findBlock, isPending, isPendingInAnvil, pendingFieldsOf } from '../findBlock.js'
import { provisionalTransactionText } from '../../format/block.js'
import { WireBytes } from '../../wire.js'
import { transactionAt } from './getTransactionByBlockHashAndIndex.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionByBlockNumberAndIndex: returns a transaction by block number or tag and index. */
export const getTransactionByBlockNumberAndIndex = defineMethod(
  'eth_getTransactionByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  async (call, selector, position) => {
    const { view } = call
    if (isPendingInAnvil(call, selector)) return null
    if (isPending(selector)) {
      const { block } = await view.pendingBlock()
      return new WireBytes([provisionalTransactionText(block, position, pendingFieldsOf(call))])
    }
    return transactionAt(view, findBlock(view, selector), position)
  },
)
