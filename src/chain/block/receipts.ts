import { minimalBytes } from '../../encoding/quantity.js'
import type { ExecutionReceipt } from '../types.js'
import { encodeRlp } from '../rlp.js'
import type { SealedTransaction } from './record.js'

/**
 * A receipt in its consensus form (EIP-2718, EIP-658): what receiptsRoot commits to, and what debug_getRawReceipts
 * answers. Typed transactions put their type byte in front.
 */
export function encodeReceipt(receipt: ExecutionReceipt, transactionType: number): Uint8Array {
  const outcome = receipt.stateRoot ?? minimalBytes(BigInt(receipt.status ?? 0))
  const fields = [
    outcome,
    minimalBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, log.topics, log.data]),
  ]
  if (transactionType === 0) return encodeRlp(fields)
  const typed = encodeRlp(fields, 1)
  typed[0] = transactionType
  return typed
}

/** The consensus forms of the receipts of transactions. */
export function encodeReceipts(transactions: readonly SealedTransaction[]): Uint8Array[] {
  return transactions.map(({ transaction, receipt }) => encodeReceipt(receipt, transaction.type))
}
