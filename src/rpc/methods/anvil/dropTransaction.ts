import { bytesToHex } from '../../../encoding/hex.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'

/** anvil_dropTransaction: takes a transaction out of the mempool; its hash, or null if there is none. */
export const dropTransaction = defineMethod(
  'anvil_dropTransaction',
  [required('transaction', hash)],
  async ({ backend }, transaction) =>
    (await backend.controls.dropTransaction(transaction)) ? bytesToHex(transaction) : null,
)
