import type { Database } from '../storage/database.js'
import type { Keyspace } from '../storage/keyspace.js'
import type { SealedBlock, StoredBlock } from './block/record.js'
import type { BlockStore } from './block/store.js'
import type { ForkSchedule } from './evm/forkSchedule.js'
import type { Head } from './head/position.js'
import type { Mempool } from './mempool/mempool.js'
import type { PooledTransaction } from './mempool/transaction.js'
import type { Clock } from './mining/schedule.js'
import type { BlockSettings } from './mining/producer.js'
import type { StateStore } from './state/stateStore.js'
import type { Awaitable } from './types.js'

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
 * Hands events to listeners in the order in which they subscribed. What an event tells of is done and stored: who has sent
 * a transaction is not to hear that it failed because somebody could not listen.
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
