import type { Awaitable } from '../encoding/timeSlice.js'
import type { Database } from '../storage/database.js'
import type { Keyspace } from '../storage/keyspace.js'
import type {
  BlockPosition,
  BlockWire,
  SealedBlock,
  StoredBlock,
  TransactionLocation,
} from './block/record.js'
import type { BlockStore } from './block/store.js'
import { NotCanonicalError } from './errors.js'
import type { ForkSchedule, RulesHeader } from './evm/forkSchedule.js'
import type { Head } from './head/position.js'
import { openPostings } from './logs/postings.js'
import { type LogSource, queryLogs } from './logs/query.js'
import type { Mempool } from './mempool/mempool.js'
import type { PooledTransaction } from './mempool/transaction.js'
import type { PendingBlock } from './mining/blockMaker.js'
import type { BlockSettings } from './mining/producer.js'
import type { Clock } from './mining/schedule.js'
import type { StateStore } from './state/stateStore.js'
import type { ForkRules, StateView } from './types.js'
import {
  type BlockRange,
  type BlockSelector,
  type BlockTag,
  type ChainView,
  type LogLimits,
  type LogQuery,
  type StateAt,
  blockNotFound,
  noBlocks,
  oldestNumber,
  walkBlocks,
} from './view.js'

/** Everything that a chain is read from. */
export interface ChainSources {
  database: Database
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  schedule: ForkSchedule
  head: () => Head
  pending: () => Promise<PendingBlock>
  /** Number of blocks that `safe` and `finalized` lag behind the head. */
  distances: Readonly<Record<'safe' | 'finalized', bigint>>
  /** The genesis, or the block that a fork continues from. */
  first: StoredBlock
  /** The hash of a block before the first one, if a fork's remote chain has it. */
  earlierHash?: ((number: bigint) => Awaitable<Uint8Array | undefined>) | undefined
}

/** Reads the whole chain: the unmodified {@link ChainView}. */
export class ChainReader implements ChainView {
  #sources: ChainSources
  #logs: LogSource

  constructor(sources: ChainSources) {
    this.#sources = sources
    this.#logs = this.#logSource(sources)
  }

  /** Switches to another chain. */
  readFrom(sources: ChainSources): void {
    this.#sources = sources
    this.#logs = this.#logSource(sources)
  }

  #logSource({ database, keys, blocks }: ChainSources): LogSource {
    const postings = { database, keys, singleBlock: blocks.singleBlock.bind(blocks) }
    return {
      open: (criterion, from, to) => openPostings(postings, criterion, { from, to }),
      blockByNumber: (number) => this.blockByNumber(number),
      canonicalBlock: (ordinal) => {
        const block = blocks.byOrdinal(ordinal)
        return block !== undefined && blocks.isCanonical(block) ? block : undefined
      },
      logsWire: (block, indices) => blocks.logsWire(block, indices),
      logsExtent: (block, indices) => blocks.logsExtent(block, indices),
      topicCount: (log) => blocks.topicCount(log),
    }
  }

  get chainId(): bigint {
    return this.rulesAt(this.head().header).chainId()
  }

  head(): StoredBlock {
    return this.#sources.head().block
  }

  blockByNumber(number: bigint): StoredBlock | undefined {
    const head = this.head()
    if (number === head.header.number) return head
    if (number > head.header.number) return undefined
    const ordinal = this.#sources.blocks.canonicalOrdinal(number)
    return ordinal === undefined ? undefined : this.#sources.blocks.byOrdinal(ordinal)
  }

  blocksWithTransactions(range: BlockRange): AsyncIterable<StoredBlock> {
    const [from, to] = [this.blockByNumber(range.from), this.blockByNumber(range.to)]
    return from === undefined || to === undefined
      ? noBlocks()
      : walkBlocks(this.#sources.blocks, { from, to })
  }

  earlierHash(number: bigint): Awaitable<Uint8Array | undefined> {
    return number < this.#sources.first.header.number ? this.#sources.earlierHash?.(number) : undefined
  }

  blockByHash(hash: Uint8Array): StoredBlock | undefined {
    return this.#sources.blocks.byHash(hash)
  }

  isCanonical(block: BlockPosition): boolean {
    return this.#sources.blocks.isCanonical(block)
  }

  resolve(selector: BlockSelector): StoredBlock | undefined {
    if ('tag' in selector) {
      const number = this.#numberOf(selector.tag)
      return number === undefined ? undefined : this.blockByNumber(number)
    }
    if ('number' in selector) return this.blockByNumber(selector.number)
    const block = this.blockByHash(selector.hash)
    if (block !== undefined && selector.requireCanonical && !this.isCanonical(block))
      throw new NotCanonicalError()
    return block
  }

  pendingBlock(): Promise<PendingBlock> {
    return this.#sources.pending()
  }

  stateAt(selector: BlockSelector): Awaitable<StateAt> {
    if ('tag' in selector && selector.tag === 'pending') {
      return this.pendingBlock().then(({ block: { header }, state }) => ({
        header,
        state,
        rules: this.rulesAt(header),
      }))
    }
    const block = this.resolve(selector)
    if (block === undefined) throw blockNotFound(selector, this.head())
    const { header, hash } = block
    return { header, hash, state: this.#stateAfter(block), rules: this.rulesAt(header) }
  }

  /**
   * Returns the state after a block, including edits by controls before the next block was mined. It differs from the
   * header's for the head and for blocks whose child was built on edits.
   *
   * @throws StatePrunedError or StateUnknownError if the state cannot be read
   */
  #stateAfter(block: StoredBlock): StateView {
    const { states, blocks, head } = this.#sources
    const { block: newest, workingRoot } = head()
    if (block.ordinal === newest.ordinal) return states.viewAt(workingRoot)
    const edited = blocks.editedRoot(block)
    if (edited === undefined) return states.viewOf(block)
    states.requireRoot(edited, block.header)
    return states.viewAt(edited)
  }

  transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    return this.#sources.blocks.transactionLocation(hash)
  }

  wire(block: StoredBlock): BlockWire {
    return this.#sources.blocks.wire(block)
  }

  rulesAt(header: RulesHeader): ForkRules {
    return this.#sources.schedule.rulesAt(header)
  }

  logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]> {
    return queryLogs(this.#logs, query, limits)
  }

  /**
   * @returns undefined for `safe` and `finalized` before the merge, since only proof of stake has them
   */
  #numberOf(tag: BlockTag): bigint | undefined {
    const { header } = this.head()
    if (tag === 'earliest') return this.#oldestNumber()
    if (tag === 'latest' || tag === 'pending') return header.number
    if (!this.rulesAt(header).gteHardfork('paris')) return undefined
    const number = header.number - this.#sources.distances[tag]
    const oldest = this.#oldestNumber()
    return number > oldest ? number : oldest
  }

  #oldestNumber(): bigint {
    const { first, blocks } = this.#sources
    return oldestNumber(
      { first: first.header.number, head: this.head().header.number },
      (number) => blocks.canonicalOrdinal(number) !== undefined,
    )
  }
}

/** What a chain builds on: its stores, its first block and its head. */
export interface ChainBase {
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  head: Head
  /** The genesis, or the block that a fork continues from. */
  first: StoredBlock
  /** The hash of a block before the first one, if a fork's remote chain has it. */
  earlierHash?: ((number: bigint) => Awaitable<Uint8Array | undefined>) | undefined
}

/** The parts that a {@link Chain} is constructed from. */
export interface ChainParts extends ChainBase {
  chainId: bigint
  database: Database
  schedule: ForkSchedule
  clock: Clock
  mempool: Mempool
  /** The operator's settings for coming blocks; mutable. */
  settings: BlockSettings
  distances: Readonly<Record<'safe' | 'finalized', bigint>>
  /** Receives errors that event listeners throw. */
  report: (fault: unknown) => void
}

/** The stores of a chain. The members change when the chain switches to another base. */
export interface ChainStores {
  readonly database: Database
  readonly keys: Keyspace
  readonly blocks: BlockStore
  readonly states: StateStore
}

/** Returns the stores of whatever base is current on each access. */
export function storesOf(current: () => ChainStores): ChainStores {
  return {
    get database() {
      return current().database
    },
    get keys() {
      return current().keys
    },
    get blocks() {
      return current().blocks
    },
    get states() {
      return current().states
    },
  }
}

/** An event of a chain. Events arrive in the order in which they happened. */
export type ChainEvent =
  /** A block became the head and is completely stored. `executed` is set if it was executed just now. */
  | { type: 'head'; block: StoredBlock; executed?: SealedBlock }
  /** A reorganisation removed blocks from the canonical chain; oldest first. */
  | { type: 'removed'; blocks: readonly StoredBlock[] }
  /** A reorganisation added blocks to the canonical chain below the new head; oldest first. */
  | { type: 'added'; blocks: readonly StoredBlock[] }
  /** A transaction became executable in the mempool. */
  | { type: 'pending'; transaction: PooledTransaction }
  /** The chain went back to an earlier point without a reorganisation: a revert, a rollback or a reset. */
  | { type: 'rewound'; head: StoredBlock }
  /** A reset switched the chain to another base: no block announced before is readable any more. */
  | { type: 'replaced'; head: StoredBlock }

/** Called with every event. What it throws affects neither other listeners nor the caller that caused the event. */
export type ChainListener = (event: ChainEvent) => void

/**
 * Passes events to listeners in order of subscription. Events describe what is already stored, so a failing listener
 * must not make the sender of a transaction believe that it failed.
 */
export class ChainEvents {
  readonly #listeners = new Set<ChainListener>()
  readonly #report: (fault: unknown) => void

  /**
   * @param report - receives what listeners throw
   */
  constructor(report: (fault: unknown) => void) {
    this.#report = report
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: ChainListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(event: ChainEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (fault) {
        this.#report(fault)
      }
    }
  }
}
