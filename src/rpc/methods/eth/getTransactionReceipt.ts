import { hash } from '../../params/hash.js'
import { WireBytes } from '../../wire.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionReceipt: the receipt of a mined transaction. */
export const getTransactionReceipt = defineMethod(
  'eth_getTransactionReceipt',
  [required('hash', hash)],
  ({ view }, transactionHash) => {
    const location = view.transactionLocation(transactionHash)
    return location === undefined ? null : new WireBytes([view.receiptWire(location.block, location.index)])
  },
)
