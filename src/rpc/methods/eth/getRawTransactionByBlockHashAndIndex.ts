import { hash } from '../../params/hash.js'
import { index } from '../../params/uint64.js'
import { rawTransactionAt } from '../rawTransactionAt.js'
import { defineMethod, required } from '../../method.js'

/** eth_getRawTransactionByBlockHashAndIndex: the EIP-2718 form of a transaction by its block and its index there. */
export const getRawTransactionByBlockHashAndIndex = defineMethod(
  'eth_getRawTransactionByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  (call, selector, position) => rawTransactionAt(call, call.view.blockByHash(selector), position),
)
