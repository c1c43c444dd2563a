import type { Method } from '../method.js'
import { addCompilationResult } from './hardhat/addCompilationResult.js'
import { dropTransaction } from './hardhat/dropTransaction.js'
import { getStackTraceFailuresCount } from './hardhat/getStackTraceFailuresCount.js'
import { mine } from './hardhat/mine.js'
import { setBlockTimestampInterval } from './hardhat/setBlockTimestampInterval.js'
import { stopImpersonatingAccount } from './hardhat/stopImpersonatingAccount.js'

/** What hardhat answers otherwise than the others under its own names. */
export const hardhatMethods: readonly Method[] = [
  addCompilationResult,
  dropTransaction,
  getStackTraceFailuresCount,
  mine,
  setBlockTimestampInterval,
  stopImpersonatingAccount,
]
