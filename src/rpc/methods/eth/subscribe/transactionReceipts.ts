import type { StoredBlock } from '../../../../chain/block/record.js'
import type { ChainEvent } from '../../../../chain/events.js'
import type { ChainView } from '../../../../chain/view.js'
import { bytesToPlainHex } from '../../../../encoding/hex.js'
import { ServerError } from '../../../errors.js'
import { optional } from '../../../method.js'
import { hash } from '../../../params/bytes.js'
import { list, struct } from '../../../params/combinators.js'
import { type WireBytes, wireArray } from '../../../wire.js'
import { defineKind } from './kind.js'

/** Most transactions that one subscription waits for (geth: eth/filters/api.go, maxTxHashes). */
const MAX_HASHES = 200

const query = struct(
  { struct: 'TransactionReceiptsQuery', type: 'filters.TransactionReceiptsQuery' },
  { transactionHashes: list(hash, '[]common.Hash') },
)

/**
 * Pushes the receipts of each new block in one array: all of them, or those of the transactions that were named. A
 * block without any pushes nothing. Blocks that a reorganisation puts below the head are told of too.
 */
export const transactionReceipts = defineKind(
  'transactionReceipts',
  [optional('filter', query)],
  ({ backend }, filter) => {
    const hashes = filter?.transactionHashes ?? []
    if (hashes.length > MAX_HASHES) {
      throw new ServerError(
        'exceed max number of transaction hashes allowed per transactionReceipts subscription',
      )
    }
    const wanted = new Set(hashes.map(bytesToPlainHex))
    return (push) =>
      backend.events.subscribe((event) => {
        for (const block of newBlocks(event)) {
          const receipts = receiptsOf(backend.chain, block, wanted)
          if (receipts !== undefined) push(receipts.pieces)
        }
      })
  },
)

function newBlocks(event: ChainEvent): readonly StoredBlock[] {
  if (event.type === 'added') return event.blocks
  return event.type === 'head' ? [event.block] : []
}

function receiptsOf(view: ChainView, block: StoredBlock, wanted: ReadonlySet<string>): WireBytes | undefined {
  const found = [...block.transactions.entries()]
    .filter(([, { hash: own }]) => wanted.size === 0 || wanted.has(bytesToPlainHex(own)))
    .map(([index]) => view.receiptWire(block, index))
  return found.length === 0 ? undefined : wireArray(found)
}
