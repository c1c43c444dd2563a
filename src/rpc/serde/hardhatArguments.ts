import type { PolicyCall } from '../callPolicy.js'
import { LARGE_CALL } from '../envelope/body.js'
import { InvalidParamsError, MethodNotFoundError, RpcError } from '../errors.js'
import { checkHardhatReset } from '../methods/hardhatRequest.js'
import {
  UnknownVariantError,
  address,
  block,
  blockCount,
  blockNumber,
  boolean,
  bytes,
  data,
  hash,
  index,
  looseAddress,
  map,
  miningInterval,
  nonce,
  oneOrMore,
  quantity,
  record,
  sequence,
  storageKey,
  storageSlot,
  storageValue,
  text,
  timestamp,
  typedData,
  uint,
} from './edrReaders.js'
import { ArgumentLists, type ArgumentsReader, readBy } from './lists.js'
import { type Reader, float, option } from './readers.js'
import { type ItemReaders, accessListOf, authorizationsOf } from './structs.js'

const lists = new ArgumentLists({
  requests: 'MethodInvocation',
  naming: 'integers',
  excess: () => 'trailing characters',
})
const { none } = lists
const one = lists.one.bind(lists)
const several = lists.several.bind(lists)

const itemReaders: ItemReaders = { address: looseAddress, hash, uint, naming: 'integers' }
const addresses = { from: looseAddress, to: looseAddress }
const fees = { gasPrice: uint(128), maxFeePerGas: uint(128), maxPriorityFeePerGas: uint(128) }
const payload = { value: uint(256), data: bytes }
const extensions = {
  ...{
    accessList: accessListOf(itemReaders),
    type: uint(8),
    blobs: sequence(text),
    blobHashes: sequence(hash),
  },
  authorizationList: authorizationsOf(itemReaders),
}

/** EIP-4844. */
const BLOB_TYPE = '0x3'

/**
 * Reads a call or transaction. Anything about blobs becomes an empty list of them: hardhat accepts them only in raw
 * transactions.
 *
 * @param options.isTransaction - whether the type counts, and the sender may not be null
 */
function messageOf(
  expected: string,
  fields: Readonly<Record<string, Reader>>,
  { isTransaction }: { isTransaction: boolean },
): Reader {
  const read = record(expected, fields, {
    aliases: { input: 'data' },
    notNull: isTransaction ? ['from'] : [],
  })
  return (value) => {
    const { type, blobs, blobHashes, ...message } = read(value)
    const hasBlobs = (blobs ?? blobHashes ?? undefined) !== undefined || (isTransaction && type === BLOB_TYPE)
    return hasBlobs ? { ...message, blobs: [] } : message
  }
}

const call = messageOf(
  'struct L1CallRequest',
  { ...addresses, gas: uint(64), ...fees, ...payload, ...extensions },
  { isTransaction: false },
)
const transaction = messageOf(
  'struct L1RpcTransactionRequest',
  { ...addresses, ...fees, gas: uint(64), ...payload, nonce: uint(64), chainId: uint(64), ...extensions },
  { isTransaction: true },
)

/** Stored words, which overrides give as numbers. */
const words = map(
  hash,
  (value) =>
    `0x${BigInt(String(uint(256)(value)))
      .toString(16)
      .padStart(64, '0')}`,
)
const overrides = map(
  looseAddress,
  record('struct AccountOverrideOptions', {
    balance: uint(256),
    nonce: uint(64),
    code: bytes,
    state: words,
    stateDiff: words,
  }),
)

const logMembers = record('struct LogFilterOptions', {
  fromBlock: block,
  toBlock: block,
  blockHash: hash,
  address: oneOrMore(looseAddress),
  topics: sequence(option(oneOrMore(hash))),
})

/** Maximum number of topics of a log. */
const MAX_TOPICS = 4
/** A range without blocks. */
const noBlocks = { fromBlock: '0x1', toBlock: '0x0' }

/** A log filter. One with more topics than logs have, or with no choice for one of them, finds nothing. */
const logFilter: Reader = (value) => {
  const read = logMembers(value)
  for (const name of ['fromBlock', 'toBlock']) read[name] = withoutObject(read[name])
  const topics = (read['topics'] ?? []) as readonly unknown[]
  const isEmpty = ({ length }: readonly unknown[]): boolean => length === 0
  // Refused later, whatever the topics.
  const isContradictory = [read['fromBlock'], read['toBlock']].some(isGiven) && isGiven(read['blockHash'])
  const findsNothing = topics.length > MAX_TOPICS || topics.some((one) => Array.isArray(one) && isEmpty(one))
  return findsNothing && !isContradictory ? noBlocks : read
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Returns the number in an EIP-1898 object. */
function withoutObject(bound: unknown): unknown {
  return typeof bound === 'object' && bound !== null && 'blockNumber' in bound ? bound.blockNumber : bound
}

const hardhatTracing = record('struct DebugTraceConfig', {
  disableStorage: boolean,
  disableMemory: boolean,
  disableStack: boolean,
})
/** Options of a trace. Hardhat's members have their defaults beside those of a tracer, which hardhat lacks. */
const tracing: Reader = (value) => {
  const read = hardhatTracing(value)
  const { tracer } = value as { tracer?: unknown }
  return tracer === undefined || tracer === null ? read : value
}

const optionalBlock = [option(block)] as const
const accountAndBlock = [address, optionalBlock] as const

/** Any number of times; methods use only the first. */
const times: ArgumentsReader = (params) => params.map(timestamp).slice(0, 1)

const subscriptionKinds: readonly unknown[] = ['newHeads', 'logs', 'newPendingTransactions']

/** A kind of subscription that hardhat has. */
const subscriptionKind: Reader = (value) => {
  const kind = text(value)
  if (subscriptionKinds.includes(kind)) return kind
  throw new InvalidParamsError('Invalid subscription type')
}

const subscription = several('Subscribe', subscriptionKind, [option(logFilter)])

/** A kind and the filter of logs, which other kinds ignore. */
const subscriptionArguments: ArgumentsReader = (params) => {
  const [kind, filter] = subscription(params)
  if (kind !== 'logs') return [kind]
  if (filter === undefined || filter === null) throw new RpcError(-32602, 'Missing params argument')
  return [kind, filter]
}

const withoutArguments = `
  eth_accounts eth_blobBaseFee eth_blockNumber eth_chainId eth_coinbase eth_gasPrice eth_maxPriorityFeePerGas
  eth_newBlockFilter eth_newPendingTransactionFilter eth_pendingTransactions eth_syncing evm_snapshot
  hardhat_getAutomine hardhat_metadata net_version web3_clientVersion`
const withIgnoredArguments = 'eth_mining hardhat_getStackTraceFailuresCount net_listening net_peerCount'
const withOneHash =
  'eth_getTransactionByHash eth_getTransactionReceipt hardhat_dropTransaction hardhat_setPrevRandao'
const withFilterId = 'eth_getFilterChanges eth_getFilterLogs eth_uninstallFilter eth_unsubscribe'
const withOneBytes = 'eth_sendRawTransaction web3_sha3'
const withOneFlag = 'evm_setAutomine hardhat_setLoggingEnabled'

const readers: Readonly<Record<string, ArgumentsReader>> = {
  ...readBy(none, withoutArguments),
  ...readBy(() => [], withIgnoredArguments),
  ...readBy(one(hash), withOneHash),
  ...readBy(one(uint(256)), withFilterId),
  ...readBy(one(bytes), withOneBytes),
  ...readBy(one(boolean), withOneFlag),
  ...readBy(one(address), 'hardhat_impersonateAccount hardhat_stopImpersonatingAccount'),
  ...readBy(one(logFilter), 'eth_getLogs eth_newFilter'),
  ...readBy(one(uint(64)), 'evm_revert evm_setBlockGasLimit'),
  ...readBy(one(uint(128)), 'hardhat_setMinGasPrice hardhat_setNextBlockBaseFeePerGas'),
  debug_traceCall: several('DebugTraceCall', call, optionalBlock, [option(tracing)]),
  debug_traceTransaction: several('DebugTraceTransaction', hash, [option(tracing)]),
  eth_call: several('Call', call, optionalBlock, [option(overrides)]),
  eth_estimateGas: several('EstimateGas', call, optionalBlock),
  eth_feeHistory: several('FeeHistory', blockCount, block, sequence(float)),
  eth_getBalance: several('GetBalance', ...accountAndBlock),
  eth_getBlockByHash: several('GetBlockByHash', hash, boolean),
  eth_getBlockByNumber: several('GetBlockByNumber', blockNumber, boolean),
  eth_getBlockTransactionCountByHash: one(hash),
  eth_getBlockTransactionCountByNumber: one(blockNumber),
  eth_getCode: several('GetCode', ...accountAndBlock),
  eth_getProof: several('GetProof', address, sequence(hash), block),
  eth_getStorageAt: several('GetStorageAt', address, storageSlot, optionalBlock),
  eth_getTransactionByBlockHashAndIndex: several('GetTransactionByBlockHashAndIndex', hash, index),
  eth_getTransactionByBlockNumberAndIndex: several('GetTransactionByBlockNumberAndIndex', blockNumber, index),
  eth_getTransactionCount: several('GetTransactionCount', ...accountAndBlock),
  eth_sendTransaction: one(transaction),
  eth_sign: several('EthSign', address, bytes),
  eth_subscribe: subscriptionArguments,
  eth_signTypedData_v4: several('SignTypedDataV4', address, typedData),
  evm_increaseTime: one(timestamp),
  evm_mine: times,
  evm_setIntervalMining: one(miningInterval),
  evm_setNextBlockTimestamp: one(timestamp),
  hardhat_reset: (given) => {
    checkHardhatReset(given)
    return [...given]
  },
  hardhat_mine: several('Mine', [option(uint(64))], [option(uint(64))]),
  hardhat_setBalance: several('SetBalance', address, quantity),
  hardhat_setCode: several('SetCode', address, data),
  hardhat_setCoinbase: one(looseAddress),
  hardhat_setNonce: several('SetNonce', address, nonce),
  hardhat_setStorageAt: several('SetStorageAt', address, storageKey, storageValue),
  personal_sign: several('PersonalSign', bytes, address),
}

/**
 * Reads a call's arguments like hardhat and converts them to the form that methods use. The messages lack the place in
 * the text that hardhat appends to them.
 *
 * @throws InvalidParamsError with hardhat's message (serde; EDR: edr_provider, requests/methods.rs)
 * @throws MethodNotFoundError for unknown block tags, like hardhat
 */
export function hardhatArguments({
  method,
  params,
  length,
}: Pick<PolicyCall, 'method' | 'params' | 'length'>): unknown {
  const reader = Object.hasOwn(readers, method) ? readers[method] : undefined
  if (
    reader === undefined ||
    length > LARGE_CALL ||
    !(params === undefined || params === null || Array.isArray(params))
  )
    return params
  try {
    return reader(params ?? [])
  } catch (error) {
    if (error instanceof UnknownVariantError) throw new MethodNotFoundError(method)
    throw error
  }
}
