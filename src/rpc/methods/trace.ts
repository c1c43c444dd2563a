import type { Method } from '../method.js'
import { call } from './trace/call.js'
import { callMany } from './trace/callMany.js'
import { filter } from './trace/filter.js'
import { rawTransaction } from './trace/rawTransaction.js'
import { replayBlockTransactions, replayTransaction } from './trace/replayTransaction.js'
import { block, get, transaction } from './trace/transaction.js'

/** The methods of the `trace_` namespace. */
export const traceMethods: readonly Method[] = [
  block,
  call,
  callMany,
  filter,
  get,
  rawTransaction,
  replayBlockTransactions,
  replayTransaction,
  transaction,
]
