import { defineMethod } from '../../method.js'

/** anvil_getIntervalMining: the seconds between blocks that are mined by the clock, or null. */
export const getIntervalMining = defineMethod('anvil_getIntervalMining', [], ({ backend }) => {
  const { interval } = backend.controls.miningMode()
  const milliseconds = typeof interval === 'number' ? interval : interval[0]
  return milliseconds === 0 ? null : milliseconds / 1000
})
