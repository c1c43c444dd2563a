import { defineMethod, required } from '../../method.js'
import { blockDetails } from '../../otterscan/blockDetails.js'
import { hash } from '../../params/bytes.js'
import { otsBlock } from '../../params/blockSelector.js'
import { findBlock } from '../findBlock.js'

/** ots_getBlockDetailsByHash: a block by its hash, without its transactions, with what they paid; or null. */
export const getBlockDetailsByHash = defineMethod(
  'ots_getBlockDetailsByHash',
  [required('hash', hash)],
  ({ view }, blockHash) => {
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : blockDetails(view, block)
  },
)

/** ots_getBlockDetails: a block by its number, without its transactions, with what they paid; or null. */
export const getBlockDetails = defineMethod(
  'ots_getBlockDetails',
  [required('block', otsBlock)],
  ({ view }, selector) => {
    const block = findBlock(view, selector)
    return block === undefined ? null : blockDetails(view, block)
  },
)
