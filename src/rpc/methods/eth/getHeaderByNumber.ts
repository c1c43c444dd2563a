import { headerWire } from '../../format/block.js'
import { defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { isPending } from '../findBlock.js'

/** eth_getHeaderByHash: returns a header by block hash. */
export const getHeaderByHash = defineMethod(
  'eth_getHeaderByHash',
  [required('hash', hash)],
  ({ view }, blockHash) => {
    const block = view.blockByHash(blockHash)
    return block === undefined ? null : headerWire(block)
  },
)

/** eth_getHeaderByNumber: returns a header by block number or tag; null for the pending block, as in geth. */
export const getHeaderByNumber = defineMethod(
  'eth_getHeaderByNumber',
  [required('block', blockNumber)],
  ({ view }, selector) => {
    const block = isPending(selector) ? undefined : view.resolve(selector)
    return block === undefined ? null : headerWire(block)
  },
)
