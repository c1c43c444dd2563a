import { bytesToHex } from '../../../encoding/hex.js'
import { InvalidParamsError } from '../../errors.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/hash.js'

/** hardhat_dropTransaction: takes a transaction out of the mempool; whether there was one. A mined one is refused. */
export const dropTransaction = defineMethod(
  'hardhat_dropTransaction',
  [required('transaction', hash)],
  async ({ view, backend }, transaction) => {
    if (view.transactionLocation(transaction) !== undefined) {
      const words = `Transaction ${bytesToHex(transaction)} cannot be dropped because it's already mined`
      throw new InvalidParamsError(words)
    }
    return backend.controls.dropTransaction(transaction)
  },
)
