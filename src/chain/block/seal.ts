import type { BlockExecution } from '../vm/block.js'
import { keccak256 } from '../keccak.js'
import type { Steps } from '../../encoding/timeSlice.js'
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
): Steps<SealedBlock> {
  const ofTransactions = transactionsRoot(transactions)
  yield
  const receipts = encodeReceipts(transactions)
  yield
  const ofReceipts = orderedRoot(receipts)
  yield
  // All headers that are read often have their members in one order, whether they were drafted, sealed or decoded.
  const header: HeaderFields = {
    parentHash: draft.parentHash,
    uncleHash: draft.uncleHash,
    coinbase: draft.coinbase,
    stateRoot,
    transactionsRoot: ofTransactions,
    receiptsRoot: ofReceipts,
    logsBloom: outcome.logsBloom,
    difficulty: draft.difficulty,
    number: draft.number,
    gasLimit: draft.gasLimit,
    gasUsed: outcome.gasUsed,
    timestamp: draft.timestamp,
    extraData: draft.extraData,
    mixHash: draft.mixHash,
    nonce: draft.nonce,
    baseFeePerGas: draft.baseFeePerGas,
    withdrawalsRoot: withdrawals === undefined ? draft.withdrawalsRoot : withdrawalsRoot(withdrawals),
    blobGasUsed: outcome.blobGasUsed ?? draft.blobGasUsed,
    excessBlobGas: draft.excessBlobGas,
    parentBeaconBlockRoot: draft.parentBeaconBlockRoot,
    requestsHash: outcome.requestsHash ?? draft.requestsHash,
  }
  const headerRlp = encodeHeader(header)
  const block = encodeBlock(
    {
      header,
      transactions: transactions.map(({ transaction }) => transaction),
      uncles: [],
      withdrawals,
    },
    headerRlp,
  )
  return {
    hash: keccak256(headerRlp),
    header,
    transactions,
    uncles: [],
    uncleHashes: [],
    withdrawals,
    size: block.length,
    encoded: { header: headerRlp, block, receipts },
    totalDifficulty: parentTotalDifficulty + header.difficulty,
    altered,
    parentStateRoot,
  }
}
