import type { PolicyCall } from '../callPolicy.js'
import { LARGE_CALL } from '../envelope/body.js'
import { blockId, blockNumber, blockText, index } from './blocks.js'
import { ArgumentLists, type ArgumentsReader, readBy } from './lists.js'
import {
  address,
  boolean,
  bytes,
  float,
  hash,
  mapOf,
  mismatch,
  noVariant,
  numeric,
  option,
  sequence,
  text,
  uint,
  wholeNumber,
} from './readers.js'
import * as structs from './structs.js'

const lists = new ArgumentLists({
  requests: 'EthRequest',
  naming: 'unnamed',
  excess: (length) => `invalid length ${length}, expected fewer elements in array`,
})
const { none } = lists
const one = lists.one.bind(lists)
const several = lists.several.bind(lists)
const alone = lists.alone.bind(lists)

/** A single number. */
const number: ArgumentsReader = (params) => {
  if (params.length !== 1) throw noVariant('NumericSeq')
  return [numeric('NumericSeq')(params[0])]
}

const block = [option(blockId)] as const
const many = numeric('Numeric')
const word = uint(256)
const flag = boolean('unnamed')
const page = [wholeNumber('usize'), wholeNumber('usize')]
const accountAndNumber = [address, many] as const
const call = [
  structs.transaction,
  block,
  [option(structs.stateOverrides)],
  [option(structs.blockOverrides)],
] as const

/** Alternative prefixes of anvil's controls. */
const prefixes = /^(hardhat|tenderly)_/
/** Methods that take the same arguments as another one. */
const otherNames: Readonly<Record<string, string>> = {
  anvil_increaseTime: 'evm_increaseTime',
  anvil_revert: 'evm_revert',
  anvil_snapshot: 'evm_snapshot',
  anvil_setERC20Balance: 'anvil_dealERC20',
  anvil_setAutomine: 'evm_setAutomine',
  anvil_setBlockGasLimit: 'evm_setBlockGasLimit',
  anvil_setIntervalMining: 'evm_setIntervalMining',
  anvil_setNextBlockTimestamp: 'evm_setNextBlockTimestamp',
  anvil_setTime: 'evm_setTime',
  evm_setAccountNonce: 'anvil_setNonce',
  debug_getRawTransaction: 'eth_getRawTransactionByHash',
  eth_getLogs: 'eth_newFilter',
}

const withoutArguments = `
  eth_accounts eth_blobBaseFee eth_blockNumber eth_chainId eth_coinbase eth_config eth_gasPrice
  eth_hashrate eth_maxPriorityFeePerGas eth_networkId eth_newBlockFilter
  eth_newPendingTransactionFilter eth_protocolVersion eth_requestAccounts eth_syncing net_listening
  net_version web3_clientVersion evm_snapshot eth_getWork txpool_status txpool_content txpool_inspect
  ots_getApiLevel anvil_getAutomine anvil_getGenesisTime anvil_getIntervalMining anvil_metadata
  anvil_nodeInfo anvil_dropAllTransactions anvil_removeBlockTimestampInterval`
const withOneNumber = `
  evm_increaseTime evm_revert evm_setBlockGasLimit evm_setNextBlockTimestamp evm_setTime
  anvil_setMinGasPrice anvil_setNextBlockBaseFeePerGas`

const readers: Readonly<Record<string, ArgumentsReader>> = {
  ...readBy(none, withoutArguments),
  ...readBy(number, withOneNumber),
  eth_call: several('EthCall', ...call),
  eth_estimateGas: several('EthEstimateGas', ...call),
  eth_createAccessList: several('EthCreateAccessList', structs.transaction, block),
  eth_feeHistory: several('EthFeeHistory', many, blockText, [sequence(float, 'unnamed')]),
  eth_fillTransaction: one(structs.transaction),
  eth_getAccount: several('EthGetAccount', address, block),
  eth_getAccountInfo: several('EthGetAccountInfo', address, block),
  eth_getBalance: several('EthGetBalance', address, block),
  eth_getBlockByHash: several('EthGetBlockByHash', hash, flag),
  eth_getBlockByNumber: several('EthGetBlockByNumber', blockNumber, flag),
  eth_getBlockReceipts: one(blockId),
  eth_getBlockTransactionCountByHash: one(hash),
  eth_getBlockTransactionCountByNumber: alone(blockNumber),
  eth_getCode: several('EthGetCodeAt', address, block),
  eth_getFilterChanges: one(text('unnamed')),
  eth_getFilterLogs: one(text('unnamed')),
  eth_getProof: several('EthGetProof', address, sequence(hash, 'unnamed'), block),
  eth_getRawTransactionByBlockHashAndIndex: several('EthGetRawTransactionByBlockHashAndIndex', hash, index),
  eth_getRawTransactionByBlockNumberAndIndex: several(
    'EthGetRawTransactionByBlockNumberAndIndex',
    blockText,
    index,
  ),
  eth_getRawTransactionByHash: one(hash),
  eth_getStorageAt: several('EthGetStorageAt', address, word, block),
  eth_getStorageValues: several('EthGetStorageValues', mapOf(address, sequence(hash, 'unnamed')), block),
  eth_getTransactionByBlockHashAndIndex: several('EthGetTransactionByBlockHashAndIndex', hash, index),
  eth_getTransactionByBlockNumberAndIndex: several(
    'EthGetTransactionByBlockNumberAndIndex',
    blockText,
    index,
  ),
  eth_getTransactionByHash: one(hash),
  eth_getTransactionBySenderAndNonce: several('EthGetTransactionBySenderAndNonce', ...accountAndNumber),
  eth_getTransactionCount: several('EthGetTransactionCount', address, block),
  eth_getTransactionReceipt: one(hash),
  eth_getUncleByBlockHashAndIndex: several('EthGetUncleByBlockHashAndIndex', hash, index),
  eth_getUncleByBlockNumberAndIndex: several('EthGetUncleByBlockNumberAndIndex', blockNumber, index),
  eth_getUncleCountByBlockHash: one(hash),
  eth_getUncleCountByBlockNumber: alone(blockNumber),
  eth_newFilter: one(structs.filter),
  eth_sendRawTransaction: one(bytes),
  eth_sendTransaction: one(structs.transaction),
  eth_sendUnsignedTransaction: one(structs.transaction),
  eth_sign: several('EthSign', address, bytes),
  eth_signTransaction: one(structs.transaction),
  eth_simulateV1: several('EthSimulateV1', structs.simulation, block),
  eth_uninstallFilter: one(text('unnamed')),
  personal_sign: several('PersonalSign', bytes, address),
  web3_sha3: one(bytes),
  debug_codeByHash: several('DebugCodeByHash', hash, block),
  debug_traceBlockByHash: several('DebugTraceBlockByHash', hash, [structs.tracingOptions]),
  debug_traceBlockByNumber: several('DebugTraceBlockByNumber', blockText, [structs.tracingOptions]),
  debug_traceCall: several('DebugTraceCall', structs.transaction, block, [structs.tracingCallOptions]),
  debug_traceTransaction: several('DebugTraceTransaction', hash, [structs.tracingOptions]),
  erigon_getHeaderByNumber: alone(blockNumber),
  evm_setAutomine: one(flag),
  evm_setIntervalMining: one(wholeNumber('u64')),
  ots_getBlockDetails: alone(blockNumber),
  ots_getBlockDetailsByHash: one(hash),
  ots_getBlockTransactions: several('OtsGetBlockTransactions', wholeNumber('u64'), ...page),
  ots_getContractCreator: one(address),
  ots_getInternalOperations: one(hash),
  ots_getTransactionBySenderAndNonce: several('OtsGetTransactionBySenderAndNonce', ...accountAndNumber),
  ots_getTransactionError: one(hash),
  ots_hasCode: several('OtsHasCode', address, [blockNumber]),
  ots_searchTransactionsAfter: several('OtsSearchTransactionsAfter', address, ...page),
  ots_searchTransactionsBefore: several('OtsSearchTransactionsBefore', address, ...page),
  ots_traceTransaction: one(hash),
  trace_block: alone(blockNumber),
  trace_filter: one(structs.traceFilter),
  trace_replayBlockTransactions: several(
    'TraceReplayBlockTransactions',
    blockNumber,
    sequence((value) => value, 'unnamed'),
  ),
  trace_transaction: one(hash),
  anvil_addBalance: several('AddBalance', ...accountAndNumber),
  anvil_autoImpersonateAccount: one(flag),
  anvil_dealERC20: several('DealERC20', address, address, many),
  anvil_dropTransaction: one(hash),
  anvil_getBlobByHash: one(hash),
  anvil_getBlobsByTransactionHash: one(hash),
  anvil_impersonateAccount: one(address),
  anvil_loadState: one(bytes),
  anvil_mine: several('Mine', [option(many)], [option(many)]),
  anvil_removePoolTransactions: one(address),
  anvil_setBalance: several('SetBalance', ...accountAndNumber),
  anvil_setBlockTimestampInterval: one(wholeNumber('u64')),
  anvil_setChainId: one(wholeNumber('u64')),
  anvil_setCode: several('SetCode', address, bytes),
  anvil_setCoinbase: one(address),
  anvil_setERC20Allowance: several('SetERC20Allowance', address, address, address, many),
  anvil_setLoggingEnabled: one(flag),
  anvil_setNonce: several('SetNonce', ...accountAndNumber),
  anvil_setStorageAt: several('SetStorageAt', address, word, hash),
  anvil_stopImpersonatingAccount: one(address),
}

/**
 * Reads a call's arguments like anvil and converts them to the form that methods use. Arguments that anvil requires but
 * methods do not may be omitted, and controls accept numbers as text.
 *
 * @throws InvalidParamsError with anvil's message (serde; foundry: anvil/core/src/eth/mod.rs, EthRequest)
 */
export function anvilArguments({
  method,
  params,
  length,
}: Pick<PolicyCall, 'method' | 'params' | 'length'>): unknown {
  const anvilName = method.replace(prefixes, 'anvil_')
  const name = otherNames[anvilName] ?? anvilName
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined
  if (reader === undefined || length > LARGE_CALL) return params
  if (params === undefined || params === null) return reader([])
  if (Array.isArray(params)) return reader(params)
  throw mismatch(params, 'a sequence')
}
