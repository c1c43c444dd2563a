import { defineMethod } from '../../method.js'

/** miner_stop: mines no more by itself, neither for transactions nor by the clock. */
export const stop = defineMethod('miner_stop', [], async ({ backend }) => {
  await backend.controls.setAutomine(false)
  await backend.controls.setIntervalMining(0)
  return null
})
