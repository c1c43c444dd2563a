import { blockWire } from '../../format/block.js'
import { defineMethod, required } from '../../method.js'
import { boolean, hash } from '../../params/bytes.js'

/** eth_getBlockByHash: returns a block by hash, canonical or not. */
export const getBlockByHash = defineMethod(
  'eth_getBlockByHash',
  [required('hash', hash), required('fullTransactions', boolean)],
  ({ view, backend }, blockHash, fullTransactions) => {
    const { totalDifficulty } = backend.settings
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : blockWire(view, block, { fullTransactions, totalDifficulty })
  },
)
