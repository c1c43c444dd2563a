import type { Chain } from '../chain/chain.js'
import type { MiningSchedule } from '../chain/mining/schedule.js'
import type { Snapshots } from '../chain/snapshots.js'
import type { Controls } from '../rpc/backend.js'

/** What the controls of a chain work on. */
export interface ControlParts {
  chain: Chain
  schedule: MiningSchedule
  snapshots: Snapshots
}

/** The controls that test suites drive a chain with. */
export function createControls({ chain, schedule, snapshots }: ControlParts): Controls {
  return {
    mine: ({ blocks, timestamp }) =>
      chain.exclusively(async () => {
        for (let mined = 0; mined < blocks; mined++) {
          await chain.mine(mined === 0 && timestamp !== undefined ? { timestamp } : {})
        }
      }),
    snapshot: () => snapshots.take(),
    revert: (id) => snapshots.revert(id),
    increaseTime: (seconds) =>
      chain.exclusively(async () => {
        const offset = chain.clock.increase(seconds, chain.head.block.header.timestamp)
        await chain.touched()
        return offset
      }),
    setNextBlockTimestamp: (timestamp) =>
      chain.exclusively(async () => {
        chain.clock.setNext(timestamp, chain.head.block.header.timestamp)
        await chain.touched()
      }),
    setAutomine: (enabled) => schedule.setAutomine(enabled),
    setIntervalMining: (milliseconds) => {
      schedule.setInterval(milliseconds)
    },
  }
}
