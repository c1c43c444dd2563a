import type { Database } from '../storage/database.js'
import type { Keyspace } from '../storage/keyspace.js'
import type { StoredBlock } from './block/record.js'
import type { BlockStore } from './block/store.js'
import type { ForkSchedule } from './evm/forkSchedule.js'
import type { Head } from './head/head.js'
import type { Mempool } from './mempool/mempool.js'
import type { Clock } from './mining/clock.js'
import type { BlockSettings } from './mining/draft.js'
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
