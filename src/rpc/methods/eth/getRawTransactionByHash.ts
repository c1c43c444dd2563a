import { hash } from '../../params/hash.js'
import { rawTransactionByHash } from '../rawTransactionAt.js'
import { defineMethod, required } from '../../method.js'

/** eth_getRawTransactionByHash: the EIP-2718 form of a transaction, mined or waiting. */
export const getRawTransactionByHash = defineMethod(
  'eth_getRawTransactionByHash',
  [required('hash', hash)],
  rawTransactionByHash,
)
