import { blockSelector } from '../../params/blockSelector.js'
import { defineMethod, required } from '../../method.js'
import { findBlock } from '../findBlock.js'
import { rawTransactionAt } from '../rawTransactionAt.js'

/** debug_getRawTransactions: the EIP-2718 forms of a block's transactions in order (foundry: anvil-core/src/eth). */
export const getRawTransactions = defineMethod(
  'debug_getRawTransactions',
  [required('block', blockSelector)],
  (call, selector) => {
    const block = findBlock(call.view, selector)
    return block?.transactions.map((_, index) => rawTransactionAt(call, block, index)) ?? []
  },
)
