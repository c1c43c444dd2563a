import type { SealedBlock } from '../../chain/block/record.js'
import { WireBytes } from '../wire.js'
import { hashesText, totalDifficultyMember, type BlockShape } from './block.js'
import { bodyMembers, headerMembers, type NullMembers } from './header.js'
import { placeInBlock } from './members.js'
import { transactionText } from './transaction.js'

/** Which members of the pending block are null, and whether its transactions name it. */
export type PendingFields = 'spec' | 'geth' | 'anvil' | 'hardhat'

/**
 * By the provider's documentation; by geth (internal/ethapi/api.go, GetBlockByNumber); by hardhat; anvil leaves out
 * nothing.
 */
const nullMembers: Readonly<Record<PendingFields, NullMembers>> = {
  spec: new Set(['hash', 'number', 'nonce', 'logsBloom']),
  geth: new Set(['hash', 'nonce', 'miner']),
  anvil: new Set(),
  hardhat: new Set(['number', 'nonce', 'mixHash']),
}

/** The object of the pending block. */
export function pendingBlockWire(block: SealedBlock, shape: BlockShape, fields: PendingFields): WireBytes {
  const transactions = shape.fullTransactions
    ? block.transactions.map((_, index) => pendingTransactionText(block, index, fields)).join(',')
    : hashesText(block.transactions)
  return new WireBytes([
    headerMembers(block.hash, block.header, nullMembers[fields]) +
      bodyMembers(block.size, block.uncleHashes, block.withdrawals) +
      totalDifficultyMember(block, shape) +
      `,"transactions":[${transactions}]}`,
  ])
}

/** The object of one of its transactions; geth and anvil let them name the provisional block. */
export function pendingTransactionText(block: SealedBlock, index: number, fields: PendingFields): string {
  const sealed = block.transactions[index]
  if (sealed === undefined) return 'null'
  return transactionText(sealed, fields !== 'spec' ? { block: placeInBlock(block), index } : undefined)
}
