import { hash } from '../../params/bytes.js'
import { WireBytes } from '../../wire.js'
import { receiptWire } from '../receiptWire.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionReceipt: the receipt of a mined transaction. */
export const getTransactionReceipt = defineMethod(
  'eth_getTransactionReceipt',
  [required('hash', hash)],
  (call, transactionHash) => {
    const location = call.view.transactionLocation(transactionHash)
    return location === undefined ? null : new WireBytes([receiptWire(call, location.block, location.index)])
  },
)
