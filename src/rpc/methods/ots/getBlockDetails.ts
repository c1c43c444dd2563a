import { defineMethod, required } from '../../method.js'
import { blockDetails } from '../../otterscan/blockDetails.js'
import { otsBlock } from '../../params/otsBlock.js'
import { findBlock } from '../findBlock.js'

/** ots_getBlockDetails: a block by its number, without its transactions, with what they paid; or null. */
export const getBlockDetails = defineMethod(
  'ots_getBlockDetails',
  [required('block', otsBlock)],
  ({ view }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? null : blockDetails(view, block)
  },
)
