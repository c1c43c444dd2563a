import type { Method } from '../method.js'
import { getApiLevel } from './ots/getApiLevel.js'
import { getBlockDetails } from './ots/getBlockDetails.js'
import { getBlockDetailsByHash } from './ots/getBlockDetailsByHash.js'
import { getBlockTransactions } from './ots/getBlockTransactions.js'
import { getContractCreator } from './ots/getContractCreator.js'
import { getInternalOperations } from './ots/getInternalOperations.js'
import { getTransactionBySenderAndNonce } from './ots/getTransactionBySenderAndNonce.js'
import { getTransactionError } from './ots/getTransactionError.js'
import { hasCode } from './ots/hasCode.js'
import { searchTransactionsAfter } from './ots/searchTransactionsAfter.js'
import { searchTransactionsBefore } from './ots/searchTransactionsBefore.js'
import { traceTransaction } from './ots/traceTransaction.js'

/** The methods whose names begin with `ots_`: what the explorer Otterscan asks for. */
export const otsMethods: readonly Method[] = [
  getApiLevel,
  getBlockDetails,
  getBlockDetailsByHash,
  getBlockTransactions,
  getContractCreator,
  getInternalOperations,
  getTransactionBySenderAndNonce,
  getTransactionError,
  hasCode,
  searchTransactionsAfter,
  searchTransactionsBefore,
  traceTransaction,
]
