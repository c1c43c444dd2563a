import type { Method } from '../method.js'
import { accounts } from './eth/accounts.js'
import { baseFee } from './eth/baseFee.js'
import { blobBaseFee } from './eth/blobBaseFee.js'
import { blockNumber } from './eth/blockNumber.js'
import { call } from './eth/call.js'
import { callMany } from './eth/callMany.js'
import { capabilities } from './eth/capabilities.js'
import { chainId } from './eth/chainId.js'
import { coinbase } from './eth/coinbase.js'
import { config } from './eth/config.js'
import { createAccessList } from './eth/createAccessList.js'
import { estimateGas } from './eth/estimateGas.js'
import { feeHistory } from './eth/feeHistory.js'
import { fillTransaction } from './eth/fillTransaction.js'
import { gasPrice } from './eth/gasPrice.js'
import { getAccount } from './eth/getAccount.js'
import { getAccountInfo } from './eth/getAccountInfo.js'
import { getBalance } from './eth/getBalance.js'
import { getBlockByHash } from './eth/getBlockByHash.js'
import { getBlockByNumber } from './eth/getBlockByNumber.js'
import { getBlockReceipts } from './eth/getBlockReceipts.js'
import { getBlockTransactionCountByHash } from './eth/getBlockTransactionCountByHash.js'
import { getBlockTransactionCountByNumber } from './eth/getBlockTransactionCountByNumber.js'
import { getCode } from './eth/getCode.js'
import { getFilterChanges } from './eth/getFilterChanges.js'
import { getFilterLogs } from './eth/getFilterLogs.js'
import { getHeaderByHash } from './eth/getHeaderByHash.js'
import { getHeaderByNumber } from './eth/getHeaderByNumber.js'
import { getLogs } from './eth/getLogs.js'
import { getProof } from './eth/getProof.js'
import { getRawTransactionByBlockHashAndIndex } from './eth/getRawTransactionByBlockHashAndIndex.js'
import { getRawTransactionByBlockNumberAndIndex } from './eth/getRawTransactionByBlockNumberAndIndex.js'
import { getRawTransactionByHash } from './eth/getRawTransactionByHash.js'
import { getStorageAt } from './eth/getStorageAt.js'
import { getStorageValues } from './eth/getStorageValues.js'
import { getTransactionByBlockHashAndIndex } from './eth/getTransactionByBlockHashAndIndex.js'
import { getTransactionByBlockNumberAndIndex } from './eth/getTransactionByBlockNumberAndIndex.js'
import { getTransactionByHash } from './eth/getTransactionByHash.js'
import { getTransactionBySenderAndNonce } from './eth/getTransactionBySenderAndNonce.js'
import { getTransactionCount } from './eth/getTransactionCount.js'
import { getTransactionReceipt } from './eth/getTransactionReceipt.js'
import { getUncleByBlockHashAndIndex } from './eth/getUncleByBlockHashAndIndex.js'
import { getUncleByBlockNumberAndIndex } from './eth/getUncleByBlockNumberAndIndex.js'
import { getUncleCountByBlockHash } from './eth/getUncleCountByBlockHash.js'
import { getUncleCountByBlockNumber } from './eth/getUncleCountByBlockNumber.js'
import { getWork } from './eth/getWork.js'
import { hashrate } from './eth/hashrate.js'
import { maxPriorityFeePerGas } from './eth/maxPriorityFeePerGas.js'
import { mining } from './eth/mining.js'
import { networkId } from './eth/networkId.js'
import { newBlockFilter } from './eth/newBlockFilter.js'
import { newFilter } from './eth/newFilter.js'
import { newPendingTransactionFilter } from './eth/newPendingTransactionFilter.js'
import { pendingTransactions } from './eth/pendingTransactions.js'
import { protocolVersion } from './eth/protocolVersion.js'
import { requestAccounts } from './eth/requestAccounts.js'
import { resend } from './eth/resend.js'
import { sendRawTransaction } from './eth/sendRawTransaction.js'
import { sendRawTransactionSync } from './eth/sendRawTransactionSync.js'
import { sendTransaction } from './eth/sendTransaction.js'
import { sendTransactionSync } from './eth/sendTransactionSync.js'
import { sendUnsignedTransaction } from './eth/sendUnsignedTransaction.js'
import { sign } from './eth/sign.js'
import { signTransaction } from './eth/signTransaction.js'
import { signTypedData_v4 } from './eth/signTypedData_v4.js'
import { simulateV1 } from './eth/simulateV1.js'
import { submitWork } from './eth/submitWork.js'
import { subscribe } from './eth/subscribe.js'
import { syncing } from './eth/syncing.js'
import { uninstallFilter } from './eth/uninstallFilter.js'
import { unsubscribe } from './eth/unsubscribe.js'

/** The methods whose names begin with `eth_`. */
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
