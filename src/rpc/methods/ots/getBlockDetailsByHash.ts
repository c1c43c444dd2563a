import { defineMethod, required } from '../../method.js'
import { blockDetails } from '../../otterscan/blockDetails.js'
import { hash } from '../../params/hash.js'

/** ots_getBlockDetailsByHash: a block by its hash, without its transactions, with what they paid; or null. */
export const getBlockDetailsByHash = defineMethod(
  'ots_getBlockDetailsByHash',
  [required('hash', hash)],
  ({ view }, blockHash) => {
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : blockDetails(view, block)
  },
)
