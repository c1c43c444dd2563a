import type { Method } from '../method.js'
import { addAccount } from './evm/addAccount.js'
import { increaseTime } from './evm/increaseTime.js'
import { mine } from './evm/mine.js'
import { mine_detailed } from './evm/mine_detailed.js'
import { removeAccount } from './evm/removeAccount.js'
import { revert } from './evm/revert.js'
import { setAccountStorageAt } from './evm/setAccountStorageAt.js'
import { setAutomine } from './evm/setAutomine.js'
import { setBlockGasLimit } from './evm/setBlockGasLimit.js'
import { setIntervalMining } from './evm/setIntervalMining.js'
import { setNextBlockTimestamp } from './evm/setNextBlockTimestamp.js'
import { setTime } from './evm/setTime.js'
import { snapshot } from './evm/snapshot.js'

/** The methods whose names begin with `evm_`. */
export const evmMethods: readonly Method[] = [
  addAccount,
  increaseTime,
  mine,
  mine_detailed,
  removeAccount,
  revert,
  setAccountStorageAt,
  setAutomine,
  setBlockGasLimit,
  setIntervalMining,
  setNextBlockTimestamp,
  setTime,
  snapshot,
]
