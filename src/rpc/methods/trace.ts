import type { Method } from '../method.js'
import { block } from './trace/block.js'
import { call } from './trace/call.js'
import { callMany } from './trace/callMany.js'
import { filter } from './trace/filter.js'
import { get } from './trace/get.js'
import { rawTransaction } from './trace/rawTransaction.js'
import { replayBlockTransactions } from './trace/replayBlockTransactions.js'
import { replayTransaction } from './trace/replayTransaction.js'
import { transaction } from './trace/transaction.js'

/** The methods whose names begin with `trace_`. */
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
