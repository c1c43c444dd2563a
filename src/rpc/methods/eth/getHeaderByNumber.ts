import { blockNumber } from '../../params/blockNumber.js'
import { headerWire } from '../../format/block.js'
import { findBlock } from '../findBlock.js'
import { defineMethod, required } from '../../method.js'

/** eth_getHeaderByNumber: the header of a block by number or tag. */
export const getHeaderByNumber = defineMethod(
  'eth_getHeaderByNumber',
  [required('block', blockNumber)],
  ({ view }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? null : headerWire(block)
  },
)
