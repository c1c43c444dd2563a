import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'

/** hardhat_dropTransaction: takes a transaction out of the mempool; whether there was one. */
export const dropTransaction = defineMethod(
  'hardhat_dropTransaction',
  [required('transaction', hash)],
  async ({ backend }, transaction) => backend.controls.dropTransaction(transaction),
)
