import type { Awaitable } from '../encoding/timeSlice.js'
import type { Database } from '../storage/database.js'
import type { Keyspace } from '../storage/keyspace.js'
import type { BlockWire, SealedBlock, StoredBlock, TransactionLocation } from './block/record.js'
import type { BlockStore } from './block/store.js'
import { NotCanonicalError } from './errors.js'
import type { ForkSchedule, RulesPlace } from './evm/forkSchedule.js'
import type { Head } from './head/position.js'
import { openPostings } from './logs/postings.js'
import { type LogSource, queryLogs } from './logs/query.js'
import type { Mempool } from './mempool/mempool.js'
import type { PooledTransaction } from './mempool/transaction.js'
import type { PendingBlock } from './mining/blockMaker.js'
import type { BlockSettings } from './mining/producer.js'
import type { Clock } from './mining/schedule.js'
import type { StateStore } from './state/stateStore.js'
import type { ForkRules } from './types.js'
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
  walkBlocks,
} from './view.js'

/** What a chain is read from. */
export interface ChainSources {
  database: Database
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  schedule: ForkSchedule
  head: () => Head
  pending: () => Promise<PendingBlock>
  /** How many blocks `safe` and `finalized` stay behind the head. */
  distances: Readonly<Record<'safe' | 'finalized', bigint>>
  /** The genesis, or the block that a fork goes on from. */
  first: StoredBlock
  /** The hash of a block before the first one, where a fork's remote chain has it. */
  earlierHash?: ((number: bigint) => Awaitable<Uint8Array | undefined>) | undefined
}

/** Reads the whole chain as it is: the view that nothing was done to. */
export class ChainReader implements ChainView {
  #sources: ChainSources
  #logs: LogSource

  constructor(sources: ChainSources) {
    this.#sources = sources
    this.#logs = this.#logSource(sources)
  }

  /** Reads another chain from now on. */
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

  isCanonical(block: StoredBlock): boolean {
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
    const state = this.#sources.states.viewAt(this.#rootAfter(block))
    return { header, hash, state, rules: this.rulesAt(header) }
  }

  /**
   * The root of the state after a block, with what controls changed before the next one was mined: that of its header, but
   * for the head and for blocks that another one stands on with edits.
   *
   * @throws StatePrunedError or StateUnknownError where it cannot be read
   */
  #rootAfter(block: StoredBlock): Uint8Array {
    const { states, blocks, head } = this.#sources
    const { block: newest, workingRoot } = head()
    if (block.ordinal === newest.ordinal) return workingRoot
    const root = blocks.editedRoot(block) ?? block.header.stateRoot
    if (!states.hasRoot(root)) states.requireRoot(root, block.header)
    return root
  }

  transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    return this.#sources.blocks.transactionLocation(hash)
  }

  wire(block: StoredBlock): BlockWire {
    return this.#sources.blocks.wire(block)
  }

  rulesAt(place: RulesPlace): ForkRules {
    return this.#sources.schedule.rulesAt(place)
  }

  logs(query: LogQuery, limits: LogLimits): Promise<Uint8Array[]> {
    return queryLogs(this.#logs, query, limits)
  }

  /** @returns undefined for a safe or finalized block before the merge: only proof of stake has them */
  #numberOf(tag: BlockTag): bigint | undefined {
    const { first, distances } = this.#sources
    const firstNumber = first.header.number
    const { header } = this.head()
    if (tag === 'earliest') return firstNumber
    if (tag === 'latest' || tag === 'pending') return header.number
    if (!this.rulesAt(header).gteHardfork('paris')) return undefined
    const number = header.number - distances[tag]
    return number > firstNumber ? number : firstNumber
  }
}

/** What a chain stands on: where it is kept, and where it begins and ends. */
export interface ChainBase {
  keys: Keyspace
  blocks: BlockStore
  states: StateStore
  head: Head
  /** The genesis, or the block that a fork goes on from. */
  first: StoredBlock
  /** The hash of a block before the first one, where a fork's remote chain has it. */
  earlierHash?: ((number: bigint) => Awaitable<Uint8Array | undefined>) | undefined
}

/** What a chain is made of. */
export interface ChainParts extends ChainBase {
  chainId: bigint
  database: Database
  schedule: ForkSchedule
  clock: Clock
  mempool: Mempool
  /** What the operator decides about coming blocks; changes in place. */
  settings: BlockSettings
  distances: Readonly<Record<'safe' | 'finalized', bigint>>
  /** Told of what listeners of the chain's events throw. */
  report: (fault: unknown) => void
}

/** What is read from where a chain is kept. The members change when the chain gets another base. */
export interface ChainStores {
  readonly database: Database
  readonly keys: Keyspace
  readonly blocks: BlockStore
  readonly states: StateStore
}

/** The stores of whatever base a chain has at the time. */
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

/** Something that happened to a chain, in the order in which it happened. */
export type ChainEvent =
  /** A block became the head, and everything about it is stored; with its execution if that was just now. */
  | { type: 'head'; block: StoredBlock; executed?: SealedBlock }
  /** A reorganisation took blocks off the canonical chain; oldest first. */
  | { type: 'removed'; blocks: readonly StoredBlock[] }
  /** A reorganisation put blocks onto the canonical chain below the new head; oldest first. */
  | { type: 'added'; blocks: readonly StoredBlock[] }
  /** A transaction became executable in the mempool. */
  | { type: 'pending'; transaction: PooledTransaction }
  /** The chain went back to an earlier point without a reorganisation: a revert, a rollback, a reset. */
  | { type: 'rewound'; head: StoredBlock }
  /** A reset put the chain onto another base: no block that was told of before can be read any more. */
  | { type: 'replaced'; head: StoredBlock }

/** Called with every event; what it throws stops neither another listener nor who caused the event. */
export type ChainListener = (event: ChainEvent) => void

/**
 * Hands events to listeners in the order in which they subscribed. What an event tells of is done and stored: the sender of
 * a transaction is not to hear that it failed because a listener did.
 */
export class ChainEvents {
  readonly #listeners = new Set<ChainListener>()
  readonly #report: (fault: unknown) => void

  /** @param report - told of what listeners throw */
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
