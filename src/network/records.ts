import { rawTransactions, uncleHeaders } from '../chain/block/rawParts.js'
import type { ChainStores } from '../chain/base.js'
import type { BlockRecords } from '../rpc/backend.js'

/** The consensus forms of what a store holds. */
export function createRecords(stores: Pick<ChainStores, 'blocks' | 'states'>): BlockRecords {
  return {
    rawBlock: (block) => stores.blocks.blockRlp(block),
    rawReceipts: (block) => stores.blocks.receiptsRlp(block),
    rawTransaction: (block, index) => {
      const raw = rawTransactions(stores.blocks.blockRlp(block))[index]
      if (raw === undefined) throw new RangeError(`block ${block.header.number} has no transaction ${index}`)
      return raw
    },
    rawTransactions: (block) => rawTransactions(stores.blocks.blockRlp(block)),
    uncles: (block) => (block.uncleHashes.length === 0 ? [] : uncleHeaders(stores.blocks.blockRlp(block))),
    code: (hash) => stores.states.getCode(hash),
  }
}
