import { defineMethod } from '../../method.js'

/** anvil_dropAllTransactions: takes everything out of the mempool. */
export const dropAllTransactions = defineMethod('anvil_dropAllTransactions', [], async ({ backend }) => {
  await backend.controls.dropAllTransactions()
  return null
})
