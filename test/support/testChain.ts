import type { Chain } from '../../src/chain/chain.js'
import { createSingleForkSchedule, type ForkSchedule } from '../../src/chain/evm/forkSchedule.js'
import { ownGenesis, type Genesis } from '../../src/chain/genesis/ownGenesis.js'
import { Mempool } from '../../src/chain/mempool/mempool.js'
import { LogicalClock } from '../../src/chain/mining/schedule.js'
import { openChain } from '../../src/chain/open.js'
import { blockEncoder } from '../../src/rpc/format/block.js'
import type { Database } from '../../src/storage/database.js'

/** Database, rules and genesis of a test chain. */
export interface TestChain {
  database: Database
  /** Network number in the database. */
  network: number
  chainId: bigint
  schedule: ForkSchedule
  genesis: Genesis
}

/** Opens a chain without a node around it; only its blocks advance its clock. */
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
    report: (fault) => {
      throw fault
    },
  })
}

const chainId = 31337n
const schedule = createSingleForkSchedule({ chainId, hardfork: 'osaka' })

/** An Osaka chain with one funded account. */
export const osakaChain: Pick<TestChain, 'chainId' | 'schedule' | 'genesis'> = {
  chainId,
  schedule,
  genesis: ownGenesis({
    create2Proxy: true,
    rules: schedule.rulesAt({ number: 0n, timestamp: 0n }),
    timestamp: 1000n,
    gasLimit: 30_000_000n,
    baseFee: 10n ** 9n,
    number: 0n,
    funded: [new Uint8Array(20).fill(0xaa)],
    balance: 10n ** 20n,
  }),
}
