import { bytesToHex } from '../../../encoding/hex.js'
import { blockSelector } from '../../params/blockSelector.js'
import { defineMethod, required } from '../../method.js'
import { findBlock } from '../findBlock.js'

/** debug_getRawTransactions: the EIP-2718 forms of a block's transactions in order (foundry: anvil-core/src/eth). */
export const getRawTransactions = defineMethod(
  'debug_getRawTransactions',
  [required('block', blockSelector)],
  ({ view, backend }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? [] : backend.records.rawTransactions(block).map(bytesToHex)
  },
)
