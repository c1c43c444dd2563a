import { miningInterval } from '../../params/miningInterval.js'
import { defineMethod, required } from '../../method.js'

/**
 * evm_setIntervalMining: mines a block every so many seconds; 0 ends that. In hardhat the time is in milliseconds, and
 * a pair of numbers, which always is, means a random time between them.
 */
export const setIntervalMining = defineMethod(
  'evm_setIntervalMining',
  [required('interval', miningInterval)],
  async ({ backend }, interval) => {
    const { miningIntervalUnit: unit } = backend.settings.compatibility
    await backend.controls.setIntervalMining(typeof interval === 'number' ? interval * unit : interval)
    return null
  },
)
