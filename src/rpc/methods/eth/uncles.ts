import type { StoredBlock } from '../../../chain/block/record.js'
import { quantity } from '../../../encoding/hex.js'
import { uncleWire } from '../../format/block.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { index } from '../../params/numbers.js'
import type { WireBytes } from '../../wire.js'
import { findBlock, noBlock, noBlockOfNumber } from '../findBlock.js'

/** Returns a block's uncle by index; null if the block or index does not exist. */
function uncleAt({ backend }: Call, block: StoredBlock | undefined, index: number): WireBytes | null {
  const hash = block?.uncleHashes[index]
  if (block === undefined || hash === undefined) return null
  const header = backend.records.uncles(block)[index]
  return header === undefined ? null : uncleWire(hash, header)
}

/** eth_getUncleByBlockNumberAndIndex: returns an uncle by block and index. */
export const getUncleByBlockNumberAndIndex = defineMethod(
  'eth_getUncleByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  (call, selector, position) => {
    const block = findBlock(call.view, selector)
    return block === undefined ? noBlockOfNumber(call, selector) : uncleAt(call, block, position)
  },
)

/** eth_getUncleByBlockHashAndIndex: returns an uncle by block and index. */
export const getUncleByBlockHashAndIndex = defineMethod(
  'eth_getUncleByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  (call, selector, position) => {
    const block = call.view.blockByHash(selector)
    return block === undefined ? noBlock(call) : uncleAt(call, block, position)
  },
)

/** eth_getUncleCountByBlockNumber: returns a block's number of uncles. */
export const getUncleCountByBlockNumber = defineMethod(
  'eth_getUncleCountByBlockNumber',
  [required('block', blockNumber)],
  (call, selector) => {
    const block = findBlock(call.view, selector)
    return block === undefined ? noBlock(call) : quantity(block.uncleHashes.length)
  },
)

/** eth_getUncleCountByBlockHash: returns a block's number of uncles. */
export const getUncleCountByBlockHash = defineMethod(
  'eth_getUncleCountByBlockHash',
  [required('hash', hash)],
  (call, selector) => {
    const block = call.view.blockByHash(selector)
    return block === undefined ? noBlock(call) : quantity(block.uncleHashes.length)
  },
)
