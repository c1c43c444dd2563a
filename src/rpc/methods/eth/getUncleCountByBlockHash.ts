import { quantity } from '../../../encoding/quantity.js'
import { hash } from '../../params/hash.js'
import { defineMethod, required } from '../../method.js'

/** eth_getUncleCountByBlockHash: how many uncles a block has. */
export const getUncleCountByBlockHash = defineMethod(
  'eth_getUncleCountByBlockHash',
  [required('hash', hash)],
  ({ view }, selector) => {
    const block = view.blockByHash(selector)
    return block === undefined ? null : quantity(block.uncleHashes.length)
  },
)
