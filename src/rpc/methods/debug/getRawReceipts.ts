import { bytesToHex } from '../../../encoding/hex.js'
import { blockSelector } from '../../params/blockSelector.js'
import { findBlock } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'

/** debug_getRawReceipts: the receipts of a block in their EIP-2718 form. */
export const getRawReceipts = defineMethod(
  'debug_getRawReceipts',
  [required('block', blockSelector)],
  ({ view, backend }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? [] : backend.records.rawReceipts(block).map(bytesToHex)
  },
)
