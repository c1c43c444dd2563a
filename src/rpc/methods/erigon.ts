import { headerWire } from '../format/block.js'
import { defineMethod, required } from '../method.js'
import { blockNumber } from '../params/blockSelector.js'
import { findBlock } from './findBlock.js'

/** erigon_getHeaderByNumber: a block's header, as Otterscan asks for it. */
export const getHeaderByNumber = defineMethod(
  'erigon_getHeaderByNumber',
  [required('block', blockNumber)],
  ({ view }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? null : headerWire(block)
  },
)
