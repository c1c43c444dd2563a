import type { Method } from '../method.js'
import { accounts, requestAccounts } from './eth/accounts.js'
import { call } from './eth/call.js'
import { callMany } from './eth/callMany.js'
import { capabilities } from './eth/capabilities.js'
import { config } from './eth/config.js'
import { createAccessList } from './eth/createAccessList.js'
import { estimateGas } from './eth/estimateGas.js'
import { feeHistory } from './eth/feeHistory.js'
import { fillTransaction } from './eth/fillTransaction.js'
import {
  getFilterChanges,
  getFilterLogs,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  uninstallFilter,
} from './eth/filters.js'
import { baseFee, blobBaseFee, gasPrice, maxPriorityFeePerGas } from './eth/gasPrice.js'
import { getAccount, getAccountInfo } from './eth/getAccount.js'
import { getBalance } from './eth/getBalance.js'
import { getBlockByHash } from './eth/getBlockByHash.js'
import { getBlockByNumber } from './eth/getBlockByNumber.js'
import { getBlockReceipts, getTransactionReceipt } from './eth/receipts.js'
import {
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
} from './eth/getBlockTransactionCountByNumber.js'
import { getCode } from './eth/getCode.js'
import { getHeaderByHash, getHeaderByNumber } from './eth/getHeaderByNumber.js'
import { getLogs } from './eth/getLogs.js'
import { getProof } from './eth/getProof.js'
import { getStorageAt } from './eth/getStorageAt.js'
import { getStorageValues } from './eth/getStorageValues.js'
import { getTransactionByBlockHashAndIndex } from './eth/getTransactionByBlockHashAndIndex.js'
import { getTransactionByBlockNumberAndIndex } from './eth/getTransactionByBlockNumberAndIndex.js'
import { getTransactionByHash } from './eth/getTransactionByHash.js'
import { getTransactionBySenderAndNonce } from './eth/getTransactionBySenderAndNonce.js'
import { getTransactionCount } from './eth/getTransactionCount.js'
import { coinbase, getWork, hashrate, mining, submitWork } from './eth/mining.js'
import { blockNumber, chainId, networkId, protocolVersion, syncing } from './eth/nodeFacts.js'
import { pendingTransactions } from './eth/pendingTransactions.js'
import {
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
} from './eth/rawTransactions.js'
import { sendRawTransaction, sendRawTransactionSync } from './eth/sendRawTransaction.js'
import {
  resend,
  sendTransaction,
  sendTransactionSync,
  sendUnsignedTransaction,
} from './eth/sendTransaction.js'
import { sign, signTypedData_v4 } from './eth/sign.js'
import { signTransaction } from './eth/signTransaction.js'
import { simulateV1 } from './eth/simulateV1.js'
import { subscribe, unsubscribe } from './eth/subscribe.js'
import {
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
} from './eth/uncles.js'

/** The methods of the `eth_` namespace. */
export const ethMethods: readonly Method[] = [
  accounts,
  baseFee,
  blobBaseFee,
  blockNumber,
  call,
  callMany,
  capabilities,
  chainId,
  coinbase,
  config,
  createAccessList,
  estimateGas,
  feeHistory,
  fillTransaction,
  gasPrice,
  getAccount,
  getAccountInfo,
  getBalance,
  getBlockByHash,
  getBlockByNumber,
  getBlockReceipts,
  getBlockTransactionCountByHash,
  getBlockTransactionCountByNumber,
  getCode,
  getFilterChanges,
  getFilterLogs,
  getHeaderByHash,
  getHeaderByNumber,
  getLogs,
  getProof,
  getRawTransactionByBlockHashAndIndex,
  getRawTransactionByBlockNumberAndIndex,
  getRawTransactionByHash,
  getStorageAt,
  getStorageValues,
  getTransactionByBlockHashAndIndex,
  getTransactionByBlockNumberAndIndex,
  getTransactionByHash,
  getTransactionBySenderAndNonce,
  getTransactionCount,
  getTransactionReceipt,
  getUncleByBlockHashAndIndex,
  getUncleByBlockNumberAndIndex,
  getUncleCountByBlockHash,
  getUncleCountByBlockNumber,
  getWork,
  hashrate,
  maxPriorityFeePerGas,
  mining,
  networkId,
  newBlockFilter,
  newFilter,
  newPendingTransactionFilter,
  pendingTransactions,
  protocolVersion,
  requestAccounts,
  resend,
  sendRawTransaction,
  sendRawTransactionSync,
  sendTransaction,
  sendTransactionSync,
  sendUnsignedTransaction,
  sign,
  signTransaction,
  signTypedData_v4,
  simulateV1,
  submitWork,
  subscribe,
  syncing,
  uninstallFilter,
  unsubscribe,
  { ...signTypedData_v4, name: 'eth_signTypedData' },
]
