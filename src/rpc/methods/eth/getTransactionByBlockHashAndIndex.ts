import { hash } from '../../params/hash.js'
import { index } from '../../params/uint64.js'
import { transactionAt } from '../transactionAt.js'
import { defineMethod, required } from '../../method.js'

/** eth_getTransactionByBlockHashAndIndex: a transaction by the hash of its block and its index there. */
export const getTransactionByBlockHashAndIndex = defineMethod(
  'eth_getTransactionByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  ({ view }, blockHash, position) => transactionAt(view, view.blockByHash(blockHash), position),
)
