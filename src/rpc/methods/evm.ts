import type { Method } from '../method.js'
import { increaseTime } from './evm/increaseTime.js'
import { mine } from './evm/mine.js'
import { revert } from './evm/revert.js'
import { setAutomine } from './evm/setAutomine.js'
import { setIntervalMining } from './evm/setIntervalMining.js'
import { setNextBlockTimestamp } from './evm/setNextBlockTimestamp.js'
import { snapshot } from './evm/snapshot.js'

/** The methods whose names begin with `evm_`. */
export const evmMethods: readonly Method[] = [
  increaseTime,
  mine,
  revert,
  setAutomine,
  setIntervalMining,
  setNextBlockTimestamp,
  snapshot,
]
