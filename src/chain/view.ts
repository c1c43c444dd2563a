import { type Awaitable, TimeSlice } from '../encoding/timeSlice.js'
import type { BlockPosition, BlockWire, StoredBlock, TransactionLocation } from './block/record.js'
import type { BlockStore } from './block/store.js'
import { type ChainError, HashNotFoundError, HeaderNotFoundError, TagNotFoundError } from './errors.js'
import type { RulesHeader } from './evm/forkSchedule.js'
import type { PendingBlock } from './mining/blockMaker.js'
import type { ForkRules, HeaderFields, StateView } from './types.js'
import type { Requester } from './vm/blockEnvironment.js'

/** A tag that names a block by its role. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized'

/** A decoded block parameter: a tag, a number, or a hash (EIP-1898). */
export type BlockSelector =
  { tag: BlockTag } | { number: bigint } | { hash: Uint8Array; requireCanonical: boolean }

/** A block and the state that a call on it reads. */
export interface StateAt {
  /** The header whose values the BLOCK opcodes return. */
  header: HeaderFields
  /** 32 bytes; absent for the pending block. */
  hash?: Uint8Array
  state: StateView
  rules: ForkRules
}

/** A range of block numbers, inclusive at both ends; descending if `from` is the higher one. */
export interface BlockRange {
  from: bigint
  to: bigint
}

/**
 * The chain as one request sees it; all answers are read from a view.
 *
 * The chain itself is a view. A provider may substitute one that lags behind or has lost its history.
 */
export interface ChainView {
  readonly chainId: bigint
  /** The newest block of this view. */
  head(): StoredBlock
  /** The canonical block with a number, or undefined beyond the head. */
  blockByNumber(number: bigint): StoredBlock | undefined
  /**
   * The canonical blocks of a range that have transactions; blocks without any are not even read. Yields between
   * blocks. Empty if a bound is not stored.
   */
  blocksWithTransactions(range: BlockRange): AsyncIterable<StoredBlock>
  /** The 32-byte hash of a block before the first stored one, from a fork's remote chain. */
  earlierHash(number: bigint): Awaitable<Uint8Array | undefined>
  /** A block by its 32-byte hash, orphans included. */
  blockByHash(hash: Uint8Array): StoredBlock | undefined
  isCanonical(block: BlockPosition): boolean
  /**
   * Returns the stored block that a selector names: undefined if there is none, and for `safe` and `finalized` before
   * the merge. `pending` means the head here.
   *
   * @throws NotCanonicalError if the selector requires a canonical block and the hash names another one
   */
  resolve(selector: BlockSelector): StoredBlock | undefined
  /** A block built from the mempool on the head; cached until the head, the mempool or its timestamp changes. */
  pendingBlock(): Promise<PendingBlock>
  /**
   * Returns the block and state that a call, an estimate or a state read at this selector uses. The state includes what
   * controls edited after the block and before the next one was mined. Only `pending` makes it asynchronous.
   *
   * @throws HeaderNotFoundError, TagNotFoundError, HashNotFoundError or NotCanonicalError if the selector names no
   *   block
   */
  stateAt(selector: BlockSelector): Awaitable<StateAt>
  /** Where a canonical transaction is stored, by its 32-byte hash. */
  transactionLocation(hash: Uint8Array): TransactionLocation | undefined
  /** The stored wire bytes of a block. */
  wire(block: StoredBlock): BlockWire
  /** The fork rules at a header. */
  rulesAt(header: RulesHeader): ForkRules
  /** The logs that match a query, as wire bytes, ordered by block and log index. */
  logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]>
}

/** A log filter. Every list is an OR; an empty or missing one is a wildcard. */
export interface LogQuery {
  /** Canonical blocks by number, inclusive at both ends; or one given block. */
  range: { from: bigint; to: bigint } | { block: StoredBlock }
  /** 20 bytes each. */
  addresses: readonly Uint8Array[]
  /** By position; 32 bytes each. */
  topics: readonly (readonly Uint8Array[])[]
}

/** Limits of a log query. */
export interface LogLimits {
  maxResults: number
  timeoutMilliseconds: number
  /** The request that holds the logs until it is answered. */
  requester?: Requester | undefined
}

/** Returns the error for a state read whose selector names no block of the chain with this head. */
export function blockNotFound(selector: BlockSelector, head: StoredBlock): ChainError {
  if ('hash' in selector) return new HashNotFoundError(selector.hash, head.header.number)
  if ('tag' in selector) return new TagNotFoundError(selector.tag)
  return new HeaderNotFoundError(selector.number, head.header.number)
}

/**
 * Returns the number of a chain's oldest block. That is not always the first one: the blocks of a state dump replace
 * all others, and those of a fork begin far above zero.
 *
 * @param isStored - whether the chain has a block with a number
 */
export function oldestNumber(
  { first, head }: { first: bigint; head: bigint },
  isStored: (number: bigint) => boolean,
): bigint {
  if (isStored(first)) return first
  let [low, high] = [first > head ? 0n : first, head]
  while (low < high) {
    const middle = (low + high) / 2n
    if (isStored(middle)) high = middle
    else low = middle + 1n
  }
  return low
}

/** The part of the block store that {@link walkBlocks} reads. */
type WalkedBlocks = Pick<BlockStore, 'byOrdinal' | 'isCanonical' | 'nearestWithTransactions'>

/**
 * Iterates over the canonical blocks with transactions between two blocks, inclusive. Ordinals rise with numbers along
 * the canonical chain, so the walk jumps from one such block to the next. It yields to other work before each; a block
 * that leaves the chain meanwhile is skipped.
 */
export async function* walkBlocks(
  blocks: WalkedBlocks,
  { from, to }: { from: StoredBlock; to: StoredBlock },
): AsyncGenerator<StoredBlock, void, undefined> {
  const [first, last] = [from.ordinal, to.ordinal]
  const [side, step] = first > last ? (['below', -1] as const) : (['above', 1] as const)
  const slice = new TimeSlice()
  for (
    let ordinal = blocks.nearestWithTransactions(first, side);
    ordinal !== undefined && step * ordinal <= step * last;
    ordinal = blocks.nearestWithTransactions(ordinal + step, side)
  ) {
    await slice.pause()
    const block = blocks.byOrdinal(ordinal)
    if (block !== undefined && block.transactions.length > 0 && blocks.isCanonical(block)) yield block
  }
}

/** Iterates over no blocks. */
export async function* noBlocks(): AsyncGenerator<StoredBlock, void, undefined> {
  // The range is not stored.
}
