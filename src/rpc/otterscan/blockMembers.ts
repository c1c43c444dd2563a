import type { StoredBlock } from '../../chain/block/record.js'
import type { ChainView } from '../../chain/view.js'
import { quantity } from '../../encoding/quantity.js'
import { blockWire } from '../format/block.js'
import type { JsonValue } from '../json.js'

/** The members of a JSON object. */
export type Members = Record<string, JsonValue>

/** A block's object as Otterscan wants it: with the number of its transactions, whole or without them. */
export function otterscanBlock(view: ChainView, block: StoredBlock): Members {
  const wire = blockWire(view, block, { fullTransactions: false, totalDifficulty: true })
  const { transactions: _, ...members } = wire.parse() as Members
  return { ...members, transactionCount: block.transactions.length }
}

/** The transactions of a block. */
export function transactionsOf(view: ChainView, block: StoredBlock): Members[] {
  return block.transactions.map((_, index) => parse(view.transactionWire(block, index)))
}

/** The receipts of a block, each with the time of the block, which is in seconds. */
export function receiptsOf(view: ChainView, block: StoredBlock): Members[] {
  return block.transactions.map((_, index) => ({
    ...parse(view.receiptWire(block, index)),
    timestamp: Number(block.header.timestamp),
  }))
}

/** What the transactions of a block paid for gas altogether, in wei. */
export function totalFees(receipts: readonly Members[]): string {
  const sum = receipts.reduce(
    (total, receipt) =>
      total + BigInt(String(receipt['gasUsed'])) * BigInt(String(receipt['effectiveGasPrice'])),
    0n,
  )
  return quantity(sum)
}

function parse(wire: Uint8Array): Members {
  return JSON.parse(Buffer.from(wire).toString('utf8')) as Members
}
