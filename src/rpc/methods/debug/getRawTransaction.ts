import { hash } from '../../params/hash.js'
import { rawTransactionByHash } from '../rawTransactionAt.js'
import { defineMethod, required } from '../../method.js'

/** debug_getRawTransaction: the EIP-2718 form of a transaction. */
export const getRawTransaction = defineMethod(
  'debug_getRawTransaction',
  [required('hash', hash)],
  rawTransactionByHash,
)
