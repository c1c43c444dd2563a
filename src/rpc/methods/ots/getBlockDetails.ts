import { defineMethod, required } from '../../method.js'
import { blockDetails } from '../../otterscan/blockDetails.js'
import { hash } from '../../params/bytes.js'
import { otsBlock } from '../../params/blockSelector.js'
import { findBlock, noBlock } from '../findBlock.js'

/** ots_getBlockDetailsByHash: a block by its hash, without its transactions, with what they paid; or null. */
export const getBlockDetailsByHash = defineMethod(
  'ots_getBlockDetailsByHash',
  [required('hash', hash)],
  (call, blockHash) => {
    const block = call.view.blockByHash(blockHash)
    return block === undefined ? noBlock(call) : blockDetails(call.view, block)
  },
)

/** ots_getBlockDetails: a block by its number, without its transactions, with what they paid; or null. */
export const getBlockDetails = defineMethod(
  'ots_getBlockDetails',
  [required('block', otsBlock)],
  (call, selector) => {
    const block = findBlock(call.view, selector)
    return block === undefined ? noBlock(call) : blockDetails(call.view, block)
  },
)
