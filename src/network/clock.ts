import { Clock, LogicalClock } from '../chain/mining/clock.js'
import type { NodeSettings } from '../options.js'
import type { Habits } from '../rpc/habits.js'

/** The time of the first block of a deterministic chain, in seconds: 1 January 2024. */
const DETERMINISTIC_GENESIS_TIME = 1_704_067_200n

/**
 * The clock of a chain.
 *
 * @param forkTime - seconds; the time of the block that a fork goes on from: its clock goes on from there too
 */
export function createClock(settings: NodeSettings, habits: Habits, forkTime: bigint | undefined): Clock {
  const minimumStep = settings.allowSameTimestamp ? 0n : habits.leastTimeStep
  const begin = settings.timestamp ?? forkTime
  if (settings.deterministic) {
    const start = begin ?? DETERMINISTIC_GENESIS_TIME
    return new LogicalClock({ now: () => start, minimumStep })
  }
  const ahead = begin === undefined ? 0n : begin - wallClock()
  return new Clock({ now: () => wallClock() + ahead, minimumStep })
}

function wallClock(): bigint {
  return BigInt(Math.floor(Date.now() / 1000))
}
