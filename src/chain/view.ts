import { type Awaitable, TimeSlice } from '../encoding/timeSlice.js'
import type { BlockWire, StoredBlock, TransactionLocation } from './block/record.js'
import type { BlockStore } from './block/store.js'
import { type ChainError, HashNotFoundError, HeaderNotFoundError, TagNotFoundError } from './errors.js'
import type { RulesPlace } from './evm/forkSchedule.js'
import type { PendingBlock } from './mining/blockMaker.js'
import type { ForkRules, HeaderFields, StateView } from './types.js'

/** A tag that names a block by its role. */
export type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized'

/** A decoded block parameter: a tag, a number, or a hash (EIP-1898). */
export type BlockSelector =
  { tag: BlockTag } | { number: bigint } | { hash: Uint8Array; requireCanonical: boolean }

/** A block together with the state that a call on it reads. */
export interface StateAt {
  /** The header whose values BLOCK opcodes see. */
  header: HeaderFields
  /** 32 bytes; absent for the pending block. */
  hash?: Uint8Array
  state: StateView
  rules: ForkRules
}

/** Blocks by their numbers, both included; from the higher to the lower if `from` is the higher one. */
export interface BlockRange {
  from: bigint
  to: bigint
}

/**
 * What answers are read from: the chain as one request sees it.
 *
 * The chain itself is one; a provider may hand out one that lags behind or has lost its history.
 */
export interface ChainView {
  readonly chainId: bigint
  /** The newest block of this view. */
  head(): StoredBlock
  /** The canonical block of a number, or undefined beyond the head. */
  blockByNumber(number: bigint): StoredBlock | undefined
  /**
   * The canonical blocks of a range that have transactions, with turns for other work between them; none if a bound is not
   * stored. Those without transactions are not even read.
   */
  blocksWithTransactions(range: BlockRange): AsyncIterable<StoredBlock>
  /** The 32-byte hash of a block before the first one that is stored: a fork's remote chain knows it. */
  earlierHash(number: bigint): Awaitable<Uint8Array | undefined>
  /** A block by its 32-byte hash, orphans included. */
  blockByHash(hash: Uint8Array): StoredBlock | undefined
  isCanonical(block: StoredBlock): boolean
  /**
   * The stored block that a selector names; undefined where there is none, and for `safe` and `finalized` before the
   * merge. `pending` names the head here.
   *
   * @throws NotCanonicalError if the selector asks for a canonical block and the hash names another one.
   */
  resolve(selector: BlockSelector): StoredBlock | undefined
  /** A block built from the mempool on the head; kept until head, mempool or its time change. */
  pendingBlock(): Promise<PendingBlock>
  /**
   * The block and state that a call, an estimate or a state read at this selector works on.
   * What controls changed after a block, and before the next one was mined, belongs to it. Only the pending block is waited
   * for.
   *
   * @throws HeaderNotFoundError, TagNotFoundError, HashNotFoundError or NotCanonicalError where the selector names
   *   nothing.
   */
  stateAt(selector: BlockSelector): Awaitable<StateAt>
  /** Where a canonical transaction is, by its 32-byte hash. */
  transactionLocation(hash: Uint8Array): TransactionLocation | undefined
  /** The stored wire bytes of a block. */
  wire(block: StoredBlock): BlockWire
  /** The fork rules at a header. */
  rulesAt(place: RulesPlace): ForkRules
  /** The logs that match a query, as wire bytes, in the order of block and log index. */
  logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]>
}

/** What logs are asked for; every list is an OR, an empty one or undefined is a wildcard. */
export interface LogQuery {
  /** Canonical blocks from this number to that one, both included; or one block by itself. */
  range: { from: bigint; to: bigint } | { block: StoredBlock }
  /** 20 bytes each. */
  addresses: readonly Uint8Array[]
  /** By position; 32 bytes each. */
  topics: readonly (readonly Uint8Array[])[]
}

/** What a log query may cost. */
export interface LogLimits {
  maxResults: number
  timeoutMilliseconds: number
}

/** What a state read is refused with whose selector names no block of a chain with this head. */
export function blockNotFound(selector: BlockSelector, head: StoredBlock): ChainError {
  if ('hash' in selector) return new HashNotFoundError(selector.hash, head.header.number)
  if ('tag' in selector) return new TagNotFoundError(selector.tag)
  return new HeaderNotFoundError(selector.number, head.header.number)
}

/** What a walk reads from. */
type WalkedBlocks = Pick<BlockStore, 'byOrdinal' | 'isCanonical' | 'nearestWithTransactions'>

/**
 * The canonical blocks between two others, these included, that have transactions. Ordinals rise with the numbers along the
 * canonical chain, so the walk goes from one such block to the next, whatever lies between them. Other work has its turn
 * before each; a block that leaves the chain meanwhile is not met any more.
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

/** A walk along none. */
export async function* noBlocks(): AsyncGenerator<StoredBlock, void, undefined> {
  // A range that is not stored.
}
