import type { TypedTransaction } from '@ethereumjs/tx'
import type { Steps } from '../../encoding/timeSlice.js'
import type { ExecutionReceipt, HeaderFields, Withdrawal } from '../types.js'

/** A transaction of a sealed block, with what execution knew about it. */
export interface SealedTransaction {
  transaction: TypedTransaction
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes; recovered from the signature, or the account that was impersonated. */
  sender: Uint8Array
  /** Whether the sender was impersonated, so that the signature proves nothing. */
  impersonated: boolean
  receipt: ExecutionReceipt
  /** What the code returned or reverted with; known where the transaction was executed just now, and not stored. */
  output?: Uint8Array
  /** Why it failed, in geth's words; known where `output` is. */
  failure?: string | undefined
}

/** A block and its receipts as RLP has them. */
export interface SealedBytes {
  /** The RLP of the header. */
  header: Uint8Array
  /** The RLP of the whole block. */
  block: Uint8Array
  /** The consensus form of each receipt. */
  receipts: readonly Uint8Array[]
}

/** A block as it leaves execution: everything that is stored about it comes from here. */
export interface SealedBlock {
  /** 32 bytes. */
  hash: Uint8Array
  header: HeaderFields
  transactions: readonly SealedTransaction[]
  /** RLP-decoded headers of uncles; own chains have none. */
  uncles: readonly HeaderFields[]
  /** 32 bytes each, in the order of `uncles`. */
  uncleHashes: readonly Uint8Array[]
  /** Since Shanghai. */
  withdrawals?: readonly Withdrawal[]
  /** Bytes of the block's RLP. */
  size: number
  /** What sealing encoded on its way to the roots, where the block was sealed here: it need not be encoded again. */
  encoded?: SealedBytes | undefined
  /** Sum of the difficulties up to and with this block. */
  totalDifficulty: bigint
  /** Whether controls had moved the parent state before this block was executed on it. */
  altered: boolean
  /** 32 bytes; the root of the state that the block was executed on, where that is not its parent's. */
  parentStateRoot?: Uint8Array
}

/** Where one piece of a block's stored wire bytes lies within them. */
export interface WireSpan {
  offset: number
  length: number
}

/** A block's stored bytes for the wire, and where its pieces are. */
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
  /** The logs of the block in order; each lies inside its receipt. */
  logs: WireSpan[]
}

/** The stored bytes of one block for the wire, each part read when it is asked for. */
export interface BlockWire {
  /** The head, as in {@link EncodedBlock}. */
  head(): Uint8Array
  /** All full transactions, joined by commas. */
  transactions(): Uint8Array
  /** One full transaction. */
  transaction(index: number): Uint8Array
  /** Each full transaction from an index up to another one, that one not included; read at once. */
  transactionsBetween(begin: number, end: number): Uint8Array[]
  /** All receipts, joined by commas. */
  receipts(): Uint8Array
  /** One receipt. */
  receipt(index: number): Uint8Array
  /** As `transactionsBetween`. */
  receiptsBetween(begin: number, end: number): Uint8Array[]
}

/**
 * Turns a sealed block into the bytes that answers are made of.
 *
 * Declared here, where blocks are stored, and implemented where wire forms are known (rpc/format).
 */
export interface BlockEncoder {
  encode(block: SealedBlock): Steps<EncodedBlock>
  /** How many topics an encoded log has. */
  topicCount(log: Uint8Array): number
}

/** One transaction of a stored block, as the index of the block keeps it. */
export interface TransactionEntry {
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes. */
  sender: Uint8Array
  impersonated: boolean
}

/** A stored block: what lookups need at once, with the heavy parts read on demand through the store. */
export interface StoredBlock {
  /** Grows with every block that is ever stored, orphans included. */
  ordinal: number
  /** 32 bytes. */
  hash: Uint8Array
  header: HeaderFields
  totalDifficulty: bigint
  /** Bytes of the block's RLP. */
  size: number
  altered: boolean
  /** As in {@link SealedBlock}. */
  parentStateRoot?: Uint8Array
  transactions: readonly TransactionEntry[]
  uncleHashes: readonly Uint8Array[]
}

/** Where a transaction is: the block that holds it, and its index there. */
export interface TransactionLocation {
  block: StoredBlock
  index: number
}
