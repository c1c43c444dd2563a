import type { BlockExecution } from '../execution/block.js'
import { keccak256 } from '../keccak.js'
import type { Pieces } from '../timeSlice.js'
import type { HeaderFields, Withdrawal } from '../types.js'
import { encodeBlock, withdrawalsRoot } from './body.js'
import { encodeHeader } from './header.js'
import { orderedRoot } from './orderedRoot.js'
import { encodeReceipts } from './receipts.js'
import type { SealedBlock, SealedTransaction } from './record.js'
import { serializedTransaction } from './serialized.js'

/** What a block is sealed from, besides its execution. */
export interface SealInput {
  /** The header that the block was executed under. */
  header: HeaderFields
  /** 32 bytes; the state root after the block. */
  stateRoot: Uint8Array
  parentTotalDifficulty: bigint
  /** Since Shanghai. */
  withdrawals?: readonly Withdrawal[]
  altered: boolean
  /** 32 bytes; where it is not the root of the parent. */
  parentStateRoot?: Uint8Array
}

/** The root over the serialised transactions. */
export function transactionsRoot(transactions: readonly SealedTransaction[]): Uint8Array {
  return orderedRoot(transactions.map(({ transaction }) => serializedTransaction(transaction)))
}

/** Completes the header of an executed block and hashes it. */
export function* sealBlock(
  { transactions }: Pick<BlockExecution, 'transactions'>,
  outcome: Awaited<ReturnType<BlockExecution['finish']>>,
  { header: draft, stateRoot, parentTotalDifficulty, withdrawals, altered, parentStateRoot }: SealInput,
): Pieces<SealedBlock> {
  const ofTransactions = transactionsRoot(transactions)
  yield
  const receipts = encodeReceipts(transactions)
  yield
  const ofReceipts = orderedRoot(receipts)
  yield
  const header: HeaderFields = {
    ...draft,
    stateRoot,
    transactionsRoot: ofTransactions,
    receiptsRoot: ofReceipts,
    gasUsed: outcome.gasUsed,
    logsBloom: outcome.logsBloom,
  }
  if (withdrawals !== undefined) header.withdrawalsRoot = withdrawalsRoot(withdrawals)
  if (outcome.blobGasUsed !== undefined) header.blobGasUsed = outcome.blobGasUsed
  if (outcome.requestsHash !== undefined) header.requestsHash = outcome.requestsHash
  const headerRlp = encodeHeader(header)
  const block = encodeBlock(
    {
      header,
      transactions: transactions.map(({ transaction }) => transaction),
      uncles: [],
      ...(withdrawals !== undefined && { withdrawals }),
    },
    headerRlp,
  )
  return {
    hash: keccak256(headerRlp),
    header,
    transactions,
    uncles: [],
    uncleHashes: [],
    ...(withdrawals !== undefined && { withdrawals }),
    size: block.length,
    encoded: { header: headerRlp, block, receipts },
    totalDifficulty: parentTotalDifficulty + header.difficulty,
    altered,
    ...(parentStateRoot !== undefined && { parentStateRoot }),
  }
}
