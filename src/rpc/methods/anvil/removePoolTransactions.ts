import { defineMethod, required } from '../../method.js'
import { address } from '../../params/address.js'

/** anvil_removePoolTransactions: takes all transactions of an account out of the mempool. */
export const removePoolTransactions = defineMethod(
  'anvil_removePoolTransactions',
  [required('address', address)],
  async ({ backend }, address) => {
    await backend.controls.dropTransactionsFrom(address)
    return null
  },
)
