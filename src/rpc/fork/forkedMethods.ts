import { ServerError } from '../errors.js'
import type { Call, Method, Result } from '../method.js'
import { remoteNumberOfHash, remoteNumberOfTransaction, remotePlaceOf } from './blockPlace.js'
import { forkedFeeHistory } from './feeHistory.js'
import { forward } from './forward.js'
import { forkedMetadata, forkedNodeInfo } from './nodeFacts.js'
import { forkedFilterLogs, forkedLogs } from './logs.js'
import type { RemoteChain } from './remoteChain.js'

/** Methods that show a block, by the index of the parameter that names it. */
const blockMethods: Readonly<Record<string, number>> = {
  debug_getRawBlock: 0,
  debug_getRawHeader: 0,
  debug_getRawReceipts: 0,
  debug_getRawTransactions: 0,
  debug_traceBlockByNumber: 0,
  eth_getBlockByNumber: 0,
  eth_getBlockReceipts: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getHeaderByNumber: 0,
  eth_getRawTransactionByBlockNumberAndIndex: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_getUncleByBlockNumberAndIndex: 0,
  eth_getUncleCountByBlockNumber: 0,
  trace_block: 0,
}

/** Methods that work on the state after a block, by the index of the parameter that names it. */
const stateMethods: Readonly<Record<string, number>> = {
  debug_traceCall: 1,
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_getAccount: 1,
  eth_getAccountInfo: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getTransactionCount: 1,
  eth_simulateV1: 1,
  trace_call: 2,
  trace_callMany: 1,
}

/** Methods that name a block by its hash. */
const blockHashMethods: readonly string[] = [
  'debug_traceBlockByHash',
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getHeaderByHash',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleCountByBlockHash',
]

/** Methods that name a transaction by its hash. */
const transactionMethods: readonly string[] = [
  'debug_getRawTransaction',
  'debug_traceTransaction',
  'eth_getRawTransactionByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'trace_transaction',
]

type Invoke = Method['invoke']
/** A method in the place of one that only knows the local chain. */
type Wrap = (remote: RemoteChain, local: Method) => Invoke

/** Answers what is asked of blocks up to the fork from the remote; the methods themselves answer the rest. */
export function forkedMethods(
  methods: ReadonlyMap<string, Method>,
  remote: RemoteChain,
): ReadonlyMap<string, Method> {
  const wrapped = new Map(methods)
  const wrap = (name: string, wrapWith: Wrap): void => {
    const local = methods.get(name)
    if (local !== undefined) wrapped.set(name, { ...local, invoke: wrapWith(remote, local) })
  }
  for (const [name, index] of Object.entries(blockMethods)) wrap(name, byBlock(index))
  for (const [name, index] of Object.entries(stateMethods)) wrap(name, byState(index))
  for (const name of blockHashMethods) wrap(name, byHash(remoteNumberOfHash))
  for (const name of transactionMethods) wrap(name, byHash(remoteNumberOfTransaction))
  wrap('eth_callMany', callMany)
  wrap('eth_getProof', proof)
  wrap('eth_getFilterLogs', forkedFilterLogs)
  wrap('eth_getLogs', forkedLogs)
  wrap('eth_feeHistory', forkedFeeHistory)
  for (const prefix of ['anvil', 'hardhat', 'ganache']) {
    wrap(`${prefix}_metadata`, forkedMetadata)
    wrap(`${prefix}_nodeInfo`, forkedNodeInfo)
  }
  return wrapped
}

function byBlock(index: number): Wrap {
  return (remote, local) => async (call, params) => {
    const place = await placeAt(remote, call, params, index)
    if (place === undefined) return local.invoke(call, params)
    return forward(remote, local.name, replaced(params, index, place.parameter))
  }
}

/** The state after the fork's own block is local: it has the accounts that are funded from the start. */
function byState(index: number): Wrap {
  return (remote, local) => async (call, params) => {
    const place = await placeAt(remote, call, params, index)
    if (place === undefined || place.number === remote.forkBlock) return local.invoke(call, params)
    return forward(remote, local.name, replaced(params, index, place.parameter))
  }
}

/** As {@link byState}, where a context names the block, and how many of its transactions come first. */
function callMany(remote: RemoteChain, local: Method): Invoke {
  const index = 1
  return async (call, params) => {
    const given = Array.isArray(params) ? (params as unknown[])[index] : undefined
    const context = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
    const { blockNumber = 'latest', transactionIndex = -1 } = context
    const place = await remotePlaceOf(remote, call, blockNumber)
    const isLocal = place?.number === remote.forkBlock && transactionIndex === -1
    if (place === undefined || isLocal) return local.invoke(call, params)
    return forward(remote, local.name, replaced(params, index, { ...context, blockNumber: place.parameter }))
  }
}

function byHash(find: typeof remoteNumberOfHash): Wrap {
  return (remote, local) => async (call, params) => {
    const [hash] = Array.isArray(params) ? (params as unknown[]) : []
    const number = await find(remote, call, hash)
    return number === undefined
      ? local.invoke(call, params)
      : forward(remote, local.name, params as unknown[])
  }
}

/** The roots of a fork's own blocks are over what is known locally: a proof against one would show nothing. */
function proof(remote: RemoteChain, local: Method): Invoke {
  const index = 2
  return async (call, params): Promise<Result> => {
    const place = await placeAt(remote, call, params, index)
    if (place !== undefined) return forward(remote, local.name, replaced(params, index, place.parameter))
    throw new ServerError(
      `no proofs above block ${remote.forkBlock}: of the state of a forked chain only a part is known here`,
    )
  }
}

/** The place that a parameter names; a block parameter that is left out means the newest block. */
function placeAt(remote: RemoteChain, call: Call, params: unknown, index: number) {
  const given = Array.isArray(params) ? (params as unknown[])[index] : undefined
  return remotePlaceOf(remote, call, given ?? 'latest')
}

function replaced(params: unknown, index: number, value: unknown): unknown[] {
  const copy = Array.isArray(params) ? [...(params as unknown[])] : []
  copy[index] = value
  return copy
}
