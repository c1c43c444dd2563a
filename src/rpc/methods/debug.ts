import type { Method } from '../method.js'
import {
  codeByHash,
  getBadBlocks,
  getRawBlock,
  getRawHeader,
  getRawReceipts,
  getRawTransaction,
  getRawTransactions,
} from './debug/raw.js'
import { storageRangeAt } from './debug/storageRangeAt.js'
import { traceBlock, traceBlockByHash, traceBlockByNumber } from './debug/traceBlock.js'
import { traceCall } from './debug/traceCall.js'
import { traceTransaction } from './debug/traceTransaction.js'

/** The methods whose names begin with `debug_`. */
export const debugMethods: readonly Method[] = [
  codeByHash,
  getBadBlocks,
  getRawBlock,
  getRawHeader,
  getRawReceipts,
  getRawTransaction,
  getRawTransactions,
  storageRangeAt,
  traceBlock,
  traceBlockByHash,
  traceBlockByNumber,
  traceCall,
  traceTransaction,
]
