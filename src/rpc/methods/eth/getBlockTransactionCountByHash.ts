import { quantity } from '../../../encoding/quantity.js'
import { hash } from '../../params/hash.js'
import { defineMethod, required } from '../../method.js'

/** eth_getBlockTransactionCountByHash: how many transactions a block has. */
export const getBlockTransactionCountByHash = defineMethod(
  'eth_getBlockTransactionCountByHash',
  [required('hash', hash)],
  ({ view }, blockHash) => {
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : quantity(block.transactions.length)
  },
)
