import type { Method } from '../method.js'
import { codeByHash } from './debug/codeByHash.js'
import { getRawBlock } from './debug/getRawBlock.js'
import { getRawHeader } from './debug/getRawHeader.js'
import { getRawReceipts } from './debug/getRawReceipts.js'
import { getRawTransaction } from './debug/getRawTransaction.js'
import { getRawTransactions } from './debug/getRawTransactions.js'
import { storageRangeAt } from './debug/storageRangeAt.js'
import { traceBlock } from './debug/traceBlock.js'
import { traceBlockByHash } from './debug/traceBlockByHash.js'
import { traceBlockByNumber } from './debug/traceBlockByNumber.js'
import { traceCall } from './debug/traceCall.js'
import { traceTransaction } from './debug/traceTransaction.js'

/** The methods whose names begin with `debug_`. */
export const debugMethods: readonly Method[] = [
  codeByHash,
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
