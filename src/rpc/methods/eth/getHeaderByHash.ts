import { hash } from '../../params/hash.js'
import { headerWire } from '../../format/block.js'
import { defineMethod, required } from '../../method.js'

/** eth_getHeaderByHash: the header of a block by its hash. */
export const getHeaderByHash = defineMethod(
  'eth_getHeaderByHash',
  [required('hash', hash)],
  ({ view }, blockHash) => {
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : headerWire(block)
  },
)
