import type { StoredBlock } from '../../../chain/block/record.js'
import { quantity } from '../../../encoding/hex.js'
import { uncleWire } from '../../format/block.js'
import { type Call, defineMethod, required } from '../../method.js'
import { blockNumber } from '../../params/blockSelector.js'
import { hash } from '../../params/bytes.js'
import { index } from '../../params/numbers.js'
import type { WireBytes } from '../../wire.js'
import { findBlock, noBlock, noBlockOfNumber } from '../findBlock.js'

/** The object of a block's uncle at an index; null if there is no such block or index. */
export function uncleAt({ backend }: Call, block: StoredBlock | undefined, index: number): WireBytes | null {
  const hash = block?.uncleHashes[index]
  if (block === undefined || hash === undefined) return null
  const header = backend.records.uncles(block)[index]
  return header === undefined ? null : uncleWire(hash, header)
}

/** eth_getUncleByBlockNumberAndIndex: an uncle by its block and its index there. */
export const getUncleByBlockNumberAndIndex = defineMethod(
  'eth_getUncleByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  (call, selector, position) => {
    const block = findBlock(call.view, selector)
    return block === undefined ? noBlockOfNumber(call, selector) : uncleAt(call, block, position)
  },
)

/** eth_getUncleByBlockHashAndIndex: an uncle by its block and its index there. */
export const getUncleByBlockHashAndIndex = defineMethod(
  'eth_getUncleByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  (call, selector, position) => {
    const block = call.view.blockByHash(selector)
    return block === undefined ? noBlock(call) : uncleAt(call, block, position)
  },
)

/** eth_getUncleCountByBlockNumber: how many uncles a block has. */
export const getUncleCountByBlockNumber = defineMethod(
  'eth_getUncleCountByBlockNumber',
  [required('block', blockNumber)],
  (call, selector) => {
    const block = findBlock(call.view, selector)
    return block === undefined ? noBlock(call) : quantity(block.uncleHashes.length)
  },
)

/** eth_getUncleCountByBlockHash: how many uncles a block has. */
export const getUncleCountByBlockHash = defineMethod(
  'eth_getUncleCountByBlockHash',
  [required('hash', hash)],
  (call, selector) => {
    const block = call.view.blockByHash(selector)
    return block === undefined ? noBlock(call) : quantity(block.uncleHashes.length)
  },
)
