import type { AbiIndex } from '../decode/abi.js'
import { describeError, loadAbis } from '../decode/abi.js'
import type { KnownContract } from './contracts.js'
import { contractAt } from './contracts.js'
import type { Trace } from './trace.js'
import { failingPath, readCalls } from './trace.js'
import type { CallFrame } from './wire.js'

/** A call in the tree, with its contract if known. */
export interface Call {
  frame: CallFrame
  depth: number
  /** Contract and function, as far as known. */
  title: string
  contract: KnownContract | undefined
  calls: Call[]
  /** Whether its effects were reverted. */
  isReverted: boolean
}

/** An execution with its calls in execution order. */
export interface Executed {
  root: Call
  all: Call[]
  /** The innermost call whose failure reverted the execution; undefined if it succeeded. */
  culprit: Call | undefined
  abis: AbiIndex
}

/** Maximum number of addresses of an execution to look up among the artifacts. */
const maxAddresses = 50

/** Reads the calls of an execution with the names of contracts and functions. */
export async function readExecution(trace: Trace): Promise<Executed> {
  const [frame, abis] = await Promise.all([readCalls(trace), loadAbis()])
  const addresses = new Set<string>()
  const collect = ({ to, calls = [] }: CallFrame): void => {
    if (to !== undefined && addresses.size < maxAddresses) addresses.add(to)
    calls.forEach(collect)
  }
  collect(frame)
  const contracts = new Map(
    await Promise.all([...addresses].map(async (address) => [address, await contractAt(address)] as const)),
  )
  const all: Call[] = []
  const build = (inner: CallFrame, depth: number, isReverted: boolean): Call => {
    const contract = contracts.get(inner.to ?? '')
    const reverted = isReverted || inner.error !== undefined
    const title = titleOf(abis, inner, contract)
    const call: Call = { frame: inner, depth, title, contract, calls: [], isReverted: reverted }
    all.push(call)
    call.calls = (inner.calls ?? []).map((called) => build(called, depth + 1, reverted))
    return call
  }
  const root = build(frame, 0, false)
  const failed = failingPath(frame).at(-1)
  return { root, all, culprit: all.find((call) => call.frame === failed), abis }
}

/** Why a call failed: the decoded revert error, or the virtual machine's message. */
export function reasonOf(abis: AbiIndex, { output = '0x', error = '', revertReason }: CallFrame): string {
  const decoded = abis.decodeError(output)
  if (decoded !== undefined) return describeError(decoded)
  return revertReason ?? (output === '0x' ? error : `${error}: ${output.slice(0, 74)}`)
}

function titleOf(
  abis: AbiIndex,
  { type, to = '', input }: CallFrame,
  contract: KnownContract | undefined,
): string {
  const place = contract?.name ?? `${to.slice(0, 8)}…`
  if (type.startsWith('CREATE')) return `new ${place}`
  if (input === '0x') return `${place} (transfer)`
  return `${place}.${abis.functionOf(input)?.name ?? input.slice(0, 10)}`
}
