import type { TypedTransaction } from '@ethereumjs/tx'
import type { Steps } from '../../encoding/timeSlice.js'
import type { ExecutionReceipt, HeaderFields, Withdrawal } from '../types.js'

/** A transaction of a sealed block, with the results of its execution. */
export interface SealedTransaction {
  transaction: TypedTransaction
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes; recovered from the signature, or the impersonated account. */
  sender: Uint8Array
  /** Whether the sender was impersonated, in which case the signature is meaningless. */
  impersonated: boolean
  receipt: ExecutionReceipt
  /** Return or revert data. Only present right after execution; not stored. */
  output?: Uint8Array
  /** geth's error message if it failed; present when `output` is. */
  failure?: string | undefined
}

/** RLP encodings of a block and its receipts. */
export interface SealedBytes {
  /** The RLP of the header. */
  header: Uint8Array
  /** The RLP of the whole block. */
  block: Uint8Array
  /** The consensus form of each receipt. */
  receipts: readonly Uint8Array[]
}

/** A block straight from execution, the source of everything stored about it. */
export interface SealedBlock {
  /** 32 bytes. */
  hash: Uint8Array
  header: HeaderFields
  transactions: readonly SealedTransaction[]
  /** Decoded headers of uncles; blocks made here have none. */
  uncles: readonly HeaderFields[]
  /** 32 bytes each, in the order of `uncles`. */
  uncleHashes: readonly Uint8Array[]
  /** Since Shanghai. */
  withdrawals?: readonly Withdrawal[]
  /** Length of the block's RLP in bytes. */
  size: number
  /** Encodings made while sealing the block here, for reuse. */
  encoded?: SealedBytes | undefined
  /** Sum of the difficulties up to and including this block. */
  totalDifficulty: bigint
  /** Whether controls had edited the parent state before this block was executed on it. */
  altered: boolean
  /** 32 bytes; root of the state that the block was executed on, if it is not the parent's. */
  parentStateRoot?: Uint8Array
}

/** A piece of a block's stored wire bytes. */
export interface WireSpan {
  offset: number
  length: number
}

/** A block's stored wire bytes, and the positions of their pieces. */
export interface EncodedBlock {
  /**
   * One region: the head, the full transactions joined by commas, the receipts joined by commas, in this order.
   *
   * The head is a JSON object of the block without its closing brace and without the members `transactions` and
   * `totalDifficulty`, which readers add.
   */
  bytes: Uint8Array
  head: WireSpan
  transactions: WireSpan[]
  receipts: WireSpan[]
  /** The logs of the block in order, each within its receipt. */
  logs: WireSpan[]
}

/** The stored wire bytes of a block, each part read on demand. */
export interface BlockWire {
  /** Returns the head, as in {@link EncodedBlock}. */
  head(): Uint8Array
  /** Returns all full transactions, joined by commas. */
  transactions(): Uint8Array
  /** Returns one full transaction. */
  transaction(index: number): Uint8Array
  /** Returns the full transactions from index `begin` up to but not including `end`, in a single read. */
  transactionsBetween(begin: number, end: number): Uint8Array[]
  /** Returns all receipts, joined by commas. */
  receipts(): Uint8Array
  /** Returns the length of {@link receipts} in bytes, without reading them. */
  receiptsLength(): number
  /** Returns one receipt. */
  receipt(index: number): Uint8Array
  /** Returns the first bytes of one receipt, which may be megabytes long. */
  receiptStart(index: number, length: number): Uint8Array
  /** Like `transactionsBetween`, for receipts. */
  receiptsBetween(begin: number, end: number): Uint8Array[]
}

/**
 * Encodes sealed blocks as the wire bytes that answers are made of.
 *
 * Declared here, where blocks are stored, and implemented where wire formats are known (rpc/format).
 */
export interface BlockEncoder {
  encode(block: SealedBlock): Steps<EncodedBlock>
  /** Returns the number of topics of an encoded log. */
  topicCount(log: Uint8Array): number
}

/** A transaction in the index record of its block. */
export interface TransactionEntry {
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes. */
  sender: Uint8Array
  impersonated: boolean
}

/** A stored block: the data that look-ups need. The store reads the heavy parts on demand. */
export interface StoredBlock {
  /** Rises with every block ever stored, orphans included. */
  ordinal: number
  /** 32 bytes. */
  hash: Uint8Array
  header: HeaderFields
  totalDifficulty: bigint
  /** Length of the block's RLP in bytes. */
  size: number
  altered: boolean
  /** As in {@link SealedBlock}. */
  parentStateRoot?: Uint8Array
  transactions: readonly TransactionEntry[]
  uncleHashes: readonly Uint8Array[]
  /** Number of the trie node that the header's state root names, if its state was stored with the block. */
  stateNode?: number | undefined
}

/** What identifies a stored block: its ordinal, and its number. */
export interface BlockPosition {
  ordinal: number
  header: { number: bigint }
}

/** A transaction's block, and its index within it. */
export interface TransactionLocation {
  block: StoredBlock
  index: number
}
