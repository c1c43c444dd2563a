import { blockNumber } from '../../params/blockNumber.js'
import { index } from '../../params/uint64.js'
import { findBlock } from '../findBlock.js'
import { rawTransactionAt } from '../rawTransactionAt.js'
import { defineMethod, required } from '../../method.js'

/** eth_getRawTransactionByBlockNumberAndIndex: the EIP-2718 form of a transaction by its block and its index there. */
export const getRawTransactionByBlockNumberAndIndex = defineMethod(
  'eth_getRawTransactionByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  (call, selector, position) => rawTransactionAt(call, findBlock(call.view, selector), position),
)
