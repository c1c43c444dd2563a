import { TooManyLogsError } from '../../chain/errors.js'
import { minBigint } from '../../encoding/bigints.js'
import { bytesToHex, latin1, quantity } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ServerError } from '../errors.js'
import { ListWriter, type PieceWriter, written } from '../format/pieces.js'
import { findLogTexts, findLogs, searchedRange, tooManyLogs } from '../logQuery.js'
import { type Call, type Method, type Result, decodeArguments, required, withArguments } from '../method.js'
import type { NumberSelector } from '../params/blockSelector.js'
import { filterId } from '../params/bytes.js'
import { type FilterArguments, filter } from '../params/filter.js'
import { type JsonValue, WireBytes } from '../wire.js'
import { remoteNumberOfHash, remoteNumberOfTransaction, toRemoteParameter } from './remoteBlocks.js'
import { type RemoteChain, ask, forward, writeJson } from './remoteChain.js'

const queryParameters = [required('filter', filter)] as const
const filterParameters = [required('id', filterId)] as const

/** Implements eth_getLogs on a fork. */
function forkedLogs(remote: RemoteChain): Method['invoke'] {
  return (call, params) =>
    withArguments(call, params, queryParameters, (_call, wanted) => find(remote, call, wanted))
}

/** Implements eth_getFilterLogs on a fork. */
function forkedFilterLogs(remote: RemoteChain): Method['invoke'] {
  return (call, params) => {
    const [id] = decodeArguments(params, filterParameters)
    return find(remote, call, call.filters.logs(id))
  }
}

/** Finds the logs of remote blocks, then those of local ones. The limits apply to both together. */
async function find(remote: RemoteChain, call: Call, wanted: FilterArguments): Promise<Result> {
  if (wanted.blockHash !== undefined) {
    const blockHash = bytesToHex(wanted.blockHash)
    const number = await remoteNumberOfHash(remote, call, blockHash)
    if (number === undefined) return findLogs(call, wanted)
    return forward(remote, 'eth_getLogs', [{ ...conditionsOf(wanted), blockHash }])
  }
  const { forkBlock } = remote
  const range = searchedRange(call, fromTheStart(wanted))
  if (range === undefined || 'block' in range || range.from > forkBlock) return findLogs(call, wanted)
  const last = minBigint(range.to, forkBlock)
  const bounds = { fromBlock: quantity(range.from), toBlock: quantity(last) }
  const earlier = (await ask(remote, 'eth_getLogs', [{ ...conditionsOf(wanted), ...bounds }])) as unknown[]
  const later = range.to === last ? [] : await localLogs(call, wanted, range.to, last)
  const { settings } = call.backend
  if (earlier.length + later.length <= settings.maxLogs) {
    return written((writer) => writeLogs(earlier, later, writer))
  }
  const whole = earlier.length <= settings.maxLogs ? last : range.from
  throw tooManyLogs(new TooManyLogsError(settings.maxLogs, { from: range.from, to: whole }), settings)
}

/** Finds the logs of local blocks, each in wire form. */
function localLogs(
  call: Call,
  wanted: FilterArguments,
  to: bigint,
  forkBlock: bigint,
): Promise<readonly Uint8Array[]> {
  const bounds = { fromBlock: { number: forkBlock + 1n }, toBlock: { number: to } }
  return findLogTexts(call, { ...wanted, ...bounds })
}

/** Writes an array of the remote's logs, which may have megabytes each, and then local ones in wire form. */
function* writeLogs(
  earlier: readonly unknown[],
  later: readonly Uint8Array[],
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const log of earlier) {
    list.append('')
    yield* writeJson(log, writer)
  }
  for (const log of later) {
    list.append(latin1(log))
    yield
  }
  list.end()
}

/** Starts a range at 0: `earliest` is the first block of the whole chain, not the fork's. */
function fromTheStart(wanted: FilterArguments): FilterArguments {
  const { fromBlock, toBlock } = wanted
  return {
    ...wanted,
    ...(fromBlock !== undefined && { fromBlock: numbered(fromBlock) }),
    ...(toBlock !== undefined && { toBlock: numbered(toBlock) }),
  }
}

function numbered(bound: NumberSelector): NumberSelector {
  return 'tag' in bound && bound.tag === 'earliest' ? { number: 0n } : bound
}

/** Encodes a filter's conditions for the wire; an empty position matches any topic. */
function conditionsOf({ addresses, topics }: FilterArguments) {
  return {
    ...(addresses.length > 0 && { address: addresses.map(bytesToHex) }),
    topics: topics.map((position) => (position.length === 0 ? null : position.map(bytesToHex))),
  }
}

/** Extends anvil_metadata by the forked chain. */
function forkedMetadata(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => ({
    ...(await factsOf(local, call, params)),
    forkedNetwork: {
      chainId: Number(remote.chainId),
      forkBlockNumber: Number(remote.forkBlock),
      forkBlockHash: bytesToHex(call.view.blockByNumber(remote.forkBlock)?.hash ?? new Uint8Array(32)),
    },
  })
}

/** Extends anvil_nodeInfo by the forked chain; the URL contains no key. */
function forkedNodeInfo(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => ({
    ...(await factsOf(local, call, params)),
    forkConfig: {
      forkUrl: remote.shownUrl,
      forkBlockNumber: Number(remote.forkBlock),
      forkRetryBackoff: null,
    },
  })
}

/** Both methods answer with an object of plain values. */
async function factsOf(
  local: Method,
  call: Call,
  params: unknown,
): Promise<Readonly<Record<string, JsonValue | undefined>>> {
  return (await local.invoke(call, params)) as Readonly<Record<string, JsonValue | undefined>>
}

/** Answer of eth_feeHistory: n entries per list, but n + 1 base fees. */
type FeeHistory = Readonly<Record<string, JsonValue[] | JsonValue | undefined>>

/** Implements eth_feeHistory on a fork: remote blocks, then local ones. */
function forkedFeeHistory(remote: RemoteChain, local: Method): Method['invoke'] {
  return async (call, params) => {
    const [countText, newest, percentiles] = Array.isArray(params) ? (params as unknown[]) : []
    const count = Number(countText)
    if (!Number.isInteger(count) || count < 1) return local.invoke(call, params)
    const target = await toRemoteParameter(remote, call, newest)
    if (target !== undefined) return forward(remote, local.name, [countText, target.parameter, percentiles])
    const block =
      newest === 'pending' ? call.view.head().header.number + 1n : numberOf(newest, call.view.head())
    if (block === undefined || block > call.view.head().header.number + 1n) return local.invoke(call, params)
    const localCount = Number(block - remote.forkBlock)
    if (count <= localCount) return local.invoke(call, params)
    const [earlier, later] = await Promise.all([
      ask(remote, local.name, [quantity(count - localCount), quantity(remote.forkBlock), percentiles]),
      local.invoke(call, [quantity(localCount), newest, percentiles]),
    ])
    const own = later instanceof WireBytes ? later.parse() : later
    const history = joined(earlier as FeeHistory, own as FeeHistory)
    return written((writer) => writeJson(history, writer))
  }
}

/** Concatenates the lists of each member. The remote's extra base fee is dropped: it is the first local one. */
function joined(earlier: FeeHistory, later: FeeHistory): JsonValue {
  const members = Object.entries(later).flatMap(([name, value]): [string, JsonValue][] => {
    const before = earlier[name]
    if (!Array.isArray(value) || !Array.isArray(before)) {
      const known = before ?? value
      return known === undefined ? [] : [[name, known]]
    }
    const overlap =
      Array.isArray(later['gasUsedRatio']) && value.length > later['gasUsedRatio'].length ? 1 : 0
    return [[name, [...before.slice(0, before.length - overlap), ...value]]]
  })
  return Object.fromEntries(members)
}

function numberOf(newest: unknown, head: { header: { number: bigint } }): bigint | undefined {
  if (newest === 'latest') return head.header.number
  return typeof newest === 'string' && /^0x[0-9a-f]{1,16}$/i.test(newest) ? BigInt(newest) : undefined
}

/** Methods that return block data, with the index of their block parameter. */
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

/** Methods that use the state after a block, with the index of their block parameter. */
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

/** Methods that take a block hash. */
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

/** Methods that take a transaction hash. */
const transactionMethods: readonly string[] = [
  'debug_getRawTransaction',
  'debug_traceTransaction',
  'eth_getRawTransactionByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'trace_transaction',
]

type Invoke = Method['invoke']
/** Wraps a method that knows only the local chain. */
type Wrap = (remote: RemoteChain, local: Method) => Invoke

/** Forwards requests for blocks up to the fork to the remote; the methods themselves answer the rest. */
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
    const target = await remoteParameterAt(remote, call, params, index)
    if (target === undefined) return local.invoke(call, params)
    return forward(remote, local.name, replaced(params, index, target.parameter))
  }
}

/** The state after the fork block is local, because it includes the accounts funded at the start. */
function byState(index: number): Wrap {
  return (remote, local) => async (call, params) => {
    const target = await remoteParameterAt(remote, call, params, index)
    if (target === undefined || target.number === remote.forkBlock) return local.invoke(call, params)
    return forward(remote, local.name, replaced(params, index, target.parameter))
  }
}

/** Like {@link byState}, for a context with a block and the number of its transactions to apply first. */
function callMany(remote: RemoteChain, local: Method): Invoke {
  const index = 1
  return async (call, params) => {
    const given = Array.isArray(params) ? (params as unknown[])[index] : undefined
    const context = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
    const { blockNumber = 'latest', transactionIndex = -1 } = context
    const target = await toRemoteParameter(remote, call, blockNumber)
    const isLocal = target?.number === remote.forkBlock && transactionIndex === -1
    if (target === undefined || isLocal) return local.invoke(call, params)
    return forward(remote, local.name, replaced(params, index, { ...context, blockNumber: target.parameter }))
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

/** State roots of local blocks cover only what is known locally, so a proof against one would prove nothing. */
function proof(remote: RemoteChain, local: Method): Invoke {
  const index = 2
  return async (call, params): Promise<Result> => {
    const target = await remoteParameterAt(remote, call, params, index)
    if (target !== undefined) return forward(remote, local.name, replaced(params, index, target.parameter))
    throw new ServerError(
      `no proofs above block ${remote.forkBlock}: only part of a forked chain's state is known here`,
    )
  }
}

/** Locates a block parameter; an omitted one means the newest block. */
function remoteParameterAt(remote: RemoteChain, call: Call, params: unknown, index: number) {
  const given = Array.isArray(params) ? (params as unknown[])[index] : undefined
  return toRemoteParameter(remote, call, given ?? 'latest')
}

function replaced(params: unknown, index: number, value: unknown): unknown[] {
  const copy = Array.isArray(params) ? [...(params as unknown[])] : []
  copy[index] = value
  return copy
}
