import { defineMethod } from '../../method.js'

/** miner_stop: mines no more by itself. */
export const stop = defineMethod('miner_stop', [], async ({ backend }) => {
  await backend.controls.setAutomine(false)
  return null
})
