import type { Method } from '../method.js'
import { accountRange, dumpBlock } from './debug/accountRange.js'
import { executionWitness } from './debug/executionWitness.js'
import { intermediateRoots } from './debug/intermediateRoots.js'
import { getAccessibleState } from './debug/getAccessibleState.js'
import { getModifiedAccountsByHash, getModifiedAccountsByNumber } from './debug/getModifiedAccounts.js'
import { preimage } from './debug/preimage.js'
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
import { subscribe, unsubscribe } from './debug/traceChain.js'
import { traceCall } from './debug/traceCall.js'
import { traceTransaction } from './debug/traceTransaction.js'

/** The methods of the `debug_` namespace. */
export const debugMethods: readonly Method[] = [
  accountRange,
  codeByHash,
  dumpBlock,
  executionWitness,
  getAccessibleState,
  getBadBlocks,
  getModifiedAccountsByHash,
  getModifiedAccountsByNumber,
  getRawBlock,
  getRawHeader,
  getRawReceipts,
  getRawTransaction,
  getRawTransactions,
  intermediateRoots,
  preimage,
  storageRangeAt,
  subscribe,
  traceBlock,
  traceBlockByHash,
  traceBlockByNumber,
  traceCall,
  traceTransaction,
  unsubscribe,
]
