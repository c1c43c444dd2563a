import { hash } from '../../params/hash.js'
import { index } from '../../params/uint64.js'
import { uncleAt } from '../uncleAt.js'
import { defineMethod, required } from '../../method.js'

/** eth_getUncleByBlockHashAndIndex: an uncle by its block and its index there. */
export const getUncleByBlockHashAndIndex = defineMethod(
  'eth_getUncleByBlockHashAndIndex',
  [required('hash', hash), required('index', index)],
  (call, selector, position) => uncleAt(call, call.view.blockByHash(selector), position),
)
