import type { Chain } from '../../src/chain/chain.js'
import type { ForkSchedule } from '../../src/chain/execution/forkSchedule.js'
import type { Genesis } from '../../src/chain/genesis.js'
import { Mempool } from '../../src/chain/mempool/mempool.js'
import { LogicalClock } from '../../src/chain/mining/clock.js'
import { openChain } from '../../src/chain/open.js'
import { blockEncoder } from '../../src/rpc/format/blockEncoder.js'
import type { Database } from '../../src/storage/database.js'

/** Where a chain of a test lies, and what it begins with. */
export interface TestChain {
  database: Database
  /** Its number in the database. */
  network: number
  chainId: bigint
  schedule: ForkSchedule
  genesis: Genesis
}

/** Opens a chain without a node around it; only its blocks move its clock. */
export function openTestChain({ schedule, genesis, ...place }: TestChain): Promise<Chain> {
  return openChain({
    ...place,
    schedule,
    encoder: blockEncoder,
    genesis: () => genesis,
    clock: new LogicalClock({ now: () => 0n, minimumStep: 1n }),
    mempool: new Mempool(schedule, { order: 'fees' }),
    coinbase: new Uint8Array(20),
    distances: { safe: 0n, finalized: 0n },
  })
}
