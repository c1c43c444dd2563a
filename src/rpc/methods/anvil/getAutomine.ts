import { defineMethod } from '../../method.js'

/** anvil_getAutomine: whether a block is mined for each transaction, and none by the clock. */
export const getAutomine = defineMethod('anvil_getAutomine', [], ({ backend }) => {
  const { automine, interval } = backend.controls.miningMode()
  return automine && (interval === 0 || !backend.settings.compatibility.intervalMiningDisablesAutomine)
})
