import { defineMethod, required } from '../../method.js'
import { blockDetails } from '../../otterscan/blockDetails.js'
import { hash } from '../../params/bytes.js'
import { otsBlock } from '../../params/blockSelector.js'
import { findBlock, isPendingInAnvil, noBlock } from '../findBlock.js'

/** ots_getBlockDetailsByHash: returns a block by hash without transactions, with its total fees; or null. */
export const getBlockDetailsByHash = defineMethod(
  'ots_getBlockDetailsByHash',
  [required('hash', hash)],
  (call, blockHash) => {
    const block = call.view.blockByHash(blockHash)
    return block === undefined ? noBlock(call) : blockDetails(call.view, block)
  },
)

/** ots_getBlockDetails: returns a block by number without transactions, with its total fees; or null. */
export const getBlockDetails = defineMethod(
  'ots_getBlockDetails',
  [required('block', otsBlock)],
  (call, selector) => {
    const block = isPendingInAnvil(call, selector) ? undefined : findBlock(call.view, selector)
    return block === undefined ? noBlock(call) : blockDetails(call.view, block)
  },
)
