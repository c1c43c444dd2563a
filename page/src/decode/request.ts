import { parseTransaction } from 'viem'
import { formatEther, formatGwei, formatNumber } from '../parts/format.js'
import type { AbiIndex, DecodedData } from './abi.js'
import { describeError, loadAbis } from './abi.js'

/** A titled list of names and values. */
export interface DecodedGroup {
  title: string
  /** Small text next to the title. */
  note?: string
  rows: readonly DecodedRow[]
}

/** A name with its value. */
export interface DecodedRow {
  name: string
  type?: string
  value: unknown
}

interface CallObject {
  from?: string
  to?: string
  value?: string
  gas?: string
  data?: string
  input?: string
  [name: string]: unknown
}

interface Log {
  address: string
  topics: string[]
  data: string
}

/** Parameter names of methods with plain values. */
const parameterNames: Readonly<Record<string, readonly string[]>> = {
  eth_getBalance: ['address', 'block'],
  eth_getCode: ['address', 'block'],
  eth_getTransactionCount: ['address', 'block'],
  eth_getStorageAt: ['address', 'slot', 'block'],
  eth_getProof: ['address', 'slots', 'block'],
  eth_getBlockByNumber: ['block', 'full transactions'],
  eth_getBlockByHash: ['block hash', 'full transactions'],
  eth_getBlockReceipts: ['block'],
  eth_getTransactionByHash: ['transaction'],
  eth_getTransactionReceipt: ['transaction'],
  eth_feeHistory: ['blocks', 'newest block', 'percentiles'],
  debug_traceTransaction: ['transaction', 'options'],
  debug_traceBlockByNumber: ['block', 'options'],
}

const callMethods =
  /^(eth_call|eth_estimateGas|eth_sendTransaction|eth_createAccessList|debug_traceCall|eth_fillTransaction|eth_signTransaction)$/
const quantities =
  /^(eth_blockNumber|eth_chainId|eth_estimateGas|eth_getTransactionCount|eth_getBlockTransactionCountBy\w+)$/
const prices = /^(eth_gasPrice|eth_maxPriorityFeePerGas|eth_blobBaseFee|eth_baseFee)$/

/** Decodes the parameters of a request; undefined if the raw form is as readable. */
export async function decodeParams(method: string, params: unknown): Promise<DecodedGroup[] | undefined> {
  if (!Array.isArray(params) || params.length === 0) return undefined
  const list: readonly unknown[] = params
  const [first, ...more] = list
  if (callMethods.test(method) && isObject(first)) {
    const call = first as CallObject
    const groups = describeCall(await loadAbis(), call)
    return more.length === 0 ? groups : [...groups, { title: 'Other parameters', rows: rowsOf(more) }]
  }
  if (method === 'eth_sendRawTransaction' && typeof first === 'string')
    return describeRaw(await loadAbis(), first)
  if (method === 'eth_getLogs' && isObject(first)) return [{ title: 'Filter', rows: rowsOfObject(first) }]
  const names = parameterNames[method]
  if (names === undefined) return undefined
  return [
    { title: 'Parameters', rows: list.map((value, place) => ({ name: names[place] ?? `#${place}`, value })) },
  ]
}

/** Decodes the answer to a request; undefined if the raw form is as readable. */
export async function decodeAnswer(
  method: string,
  params: unknown,
  answer: unknown,
  isError: boolean,
): Promise<DecodedGroup[] | undefined> {
  const abis = await loadAbis()
  if (isError) return describeFailure(abis, answer)
  if (typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer)) {
    if (quantities.test(method)) return single('Answer', 'number', formatNumber(BigInt(answer)))
    if (method === 'eth_getBalance') return single('Answer', 'balance', formatEther(BigInt(answer)))
    if (prices.test(method)) return single('Answer', 'price', formatGwei(BigInt(answer)))
  }
  if (method === 'eth_call' && Array.isArray(params) && isObject(params[0]) && typeof answer === 'string') {
    const { data, input = data ?? '' } = params[0] as CallObject
    const decoded = abis.decodeResult(input, answer)
    return decoded && [groupOf(decoded, 'returns')]
  }
  if (/^eth_(getLogs|getFilterLogs|getFilterChanges)$/.test(method) && Array.isArray(answer)) {
    return (answer as unknown[])
      .filter(isLog)
      .slice(0, 50)
      .map((log) => describeLog(abis, log))
  }
  if (method === 'eth_getTransactionReceipt' && isObject(answer)) return describeReceipt(abis, answer)
  return undefined
}

/** Describes a log, decoded as an event if possible. */
export function describeLog(abis: AbiIndex, log: Log): DecodedGroup {
  const decoded = abis.decodeLog(log.topics, log.data)
  if (decoded !== undefined) {
    const { title, rows } = groupOf(decoded)
    return { title, rows: [{ name: 'contract', type: 'address', value: log.address }, ...rows] }
  }
  return {
    title: 'Unknown event',
    rows: [
      { name: 'contract', type: 'address', value: log.address },
      ...log.topics.map((topic, place) => ({ name: `topic ${place}`, value: topic })),
      { name: 'data', value: log.data },
    ],
  }
}

/** Describes a call object, with its calldata decoded as a function call if possible. */
export function describeCall(abis: AbiIndex, call: CallObject): DecodedGroup[] {
  const { data, input = data, ...rest } = call
  const groups: DecodedGroup[] = [{ title: 'Call', rows: rowsOfObject(rest) }]
  if (typeof input === 'string' && input.length > 2) {
    const decoded = typeof call.to === 'string' ? abis.decodeCall(input) : undefined
    groups.push(
      decoded === undefined
        ? {
            title: call.to === undefined ? 'Init code' : 'Input',
            rows: [{ name: 'data', value: input }],
          }
        : groupOf(decoded),
    )
  }
  return groups
}

/** Converts decoded data into a group. */
export function groupOf({ name, signature, values }: DecodedData, note?: string): DecodedGroup {
  return { title: name, note: note ?? signature, rows: values }
}

function describeRaw(abis: AbiIndex, raw: string): DecodedGroup[] | undefined {
  try {
    const { data, r, s, v, yParity, accessList, ...fields } = parseTransaction(raw as `0x${string}`)
    const call: CallObject = { ...(fields as Record<string, unknown>) }
    if (data !== undefined) call.data = data
    const [first, ...rest] = describeCall(abis, call)
    const signature = rowsOfObject({ r, s, v, yParity })
    return [
      { title: 'Transaction', rows: first?.rows ?? [] },
      ...rest,
      ...(accessList?.length ? [{ title: 'Access list', rows: rowsOf(accessList) }] : []),
      { title: 'Signature', rows: signature },
    ]
  } catch {
    return undefined
  }
}

function describeFailure(abis: AbiIndex, answer: unknown): DecodedGroup[] | undefined {
  const data = typeof answer === 'string' ? answer : isObject(answer) ? answer['data'] : undefined
  if (typeof data !== 'string') return undefined
  const decoded = abis.decodeError(data)
  return decoded && [{ ...groupOf(decoded), note: describeError(decoded) }]
}

function describeReceipt(abis: AbiIndex, receipt: Record<string, unknown>): DecodedGroup[] {
  const { logs, logsBloom: _bloom, status, ...rest } = receipt
  const outcome = { name: 'status', value: status === '0x1' ? 'success' : 'failed' }
  const list = Array.isArray(logs) ? (logs as unknown[]).filter(isLog) : []
  return [
    { title: 'Receipt', rows: [outcome, ...rowsOfObject(rest)] },
    ...list.slice(0, 50).map((log) => describeLog(abis, log)),
  ]
}

function single(title: string, name: string, value: string): DecodedGroup[] {
  return [{ title, rows: [{ name, value }] }]
}

function rowsOfObject(object: Readonly<Record<string, unknown>>): DecodedRow[] {
  return Object.entries(object)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => ({ name, value: readable(name, value) }))
}

function rowsOf(values: readonly unknown[]): DecodedRow[] {
  return values.map((value, place) => ({ name: `#${place + 1}`, value }))
}

/** Formats quantities by their JSON-RPC names. */
function readable(name: string, value: unknown): unknown {
  if (typeof value === 'bigint' && /^(value|gasPrice|max\w*FeePer\w+)$/.test(name)) {
    return name === 'value' ? formatEther(value) : formatGwei(value)
  }
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) return value
  if (name === 'value') return formatEther(BigInt(value))
  if (/gasPrice|FeePerGas/i.test(name)) return formatGwei(BigInt(value))
  return /^(gas|gasUsed|cumulativeGasUsed|nonce|blockNumber|transactionIndex|chainId|type|logIndex)$/.test(
    name,
  )
    ? formatNumber(BigInt(value))
    : value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLog(value: unknown): value is Log {
  return isObject(value) && Array.isArray(value['topics']) && typeof value['data'] === 'string'
}
