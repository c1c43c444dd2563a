import { minimalBytes } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { keccak256 } from '../keccak.js'
import { encodeRlp } from '../rlp.js'
import type { ExecutionLog, ExecutionReceipt, HeaderFields, Withdrawal } from '../types.js'
import type { BlockExecution } from '../vm/block.js'
import { encodeBlock, orderedRoot, serializedTransaction, withdrawalsRoot } from './body.js'
import { encodeHeader } from './header.js'
import type { SealedBlock, SealedTransaction } from './record.js'

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

/** The 256-byte bloom of no logs, shared by all that have none: nobody writes into a bloom that is made. */
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(256)

/** Sets the three bits of one address or topic in a 256-byte bloom (yellow paper, 4.3.1, M3:2048). */
function addToBloom(bloom: Uint8Array, entry: Uint8Array): void {
  const hash = keccak256(entry)
  for (let i = 0; i < 6; i += 2) {
    const bit = ((hash[i]! << 8) | hash[i + 1]!) & 2047
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
}

/** The 256-byte bloom of the addresses and topics of logs. */
export function logsBloom(logs: readonly ExecutionLog[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM
  const bloom = new Uint8Array(256)
  for (const log of logs) {
    addToBloom(bloom, log.address)
    for (const topic of log.topics) addToBloom(bloom, topic)
  }
  return bloom
}

/** The union of blooms: what a header carries of its receipts. */
export function joinBlooms(blooms: readonly Uint8Array[]): Uint8Array {
  const filled = blooms.filter((bloom) => bloom !== EMPTY_BLOOM)
  const [only] = filled
  if (only === undefined) return EMPTY_BLOOM
  if (filled.length === 1) return only
  const joined = new Uint8Array(256)
  for (const bloom of filled) {
    for (let i = 0; i < 256; i++) joined[i]! |= bloom[i]!
  }
  return joined
}

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
