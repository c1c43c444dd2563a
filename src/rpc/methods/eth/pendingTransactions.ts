import { transactionText } from '../../format/transaction.js'
import { defineMethod } from '../../method.js'
import { wireArray } from '../../wire.js'

/** eth_pendingTransactions: the transactions that wait for a block, executable or not, in the order they came in. */
export const pendingTransactions = defineMethod('eth_pendingTransactions', [], ({ backend }) =>
  wireArray(backend.pool.waiting().map((pooled) => transactionText(pooled, undefined))),
)
