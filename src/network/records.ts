import { rawTransactions, uncleHeaders } from '../chain/block/rawParts.js'
import type { BlockStore } from '../chain/block/store.js'
import type { BlockRecords } from '../rpc/backend.js'

/** The consensus forms of what a store holds. */
export function createRecords(blocks: BlockStore): BlockRecords {
  return {
    rawBlock: (block) => blocks.blockRlp(block),
    rawReceipts: (block) => blocks.receiptsRlp(block),
    rawTransaction: (block, index) => {
      const raw = rawTransactions(blocks.blockRlp(block))[index]
      if (raw === undefined) throw new RangeError(`block ${block.header.number} has no transaction ${index}`)
      return raw
    },
    uncles: (block) => (block.uncleHashes.length === 0 ? [] : uncleHeaders(blocks.blockRlp(block))),
  }
}
