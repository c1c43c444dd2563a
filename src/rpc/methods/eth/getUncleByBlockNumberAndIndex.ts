import { blockNumber } from '../../params/blockNumber.js'
import { index } from '../../params/uint64.js'
import { findBlock } from '../findBlock.js'
import { uncleAt } from '../uncleAt.js'
import { defineMethod, required } from '../../method.js'

/** eth_getUncleByBlockNumberAndIndex: an uncle by its block and its index there. */
export const getUncleByBlockNumberAndIndex = defineMethod(
  'eth_getUncleByBlockNumberAndIndex',
  [required('block', blockNumber), required('index', index)],
  (call, selector, position) => uncleAt(call, findBlock(call.view, selector), position),
)
