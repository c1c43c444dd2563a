import type { AbiIndex } from '../decode/abi.js'
import { describeError, loadAbis } from '../decode/abi.js'
import type { KnownContract } from './contracts.js'
import { contractAt } from './contracts.js'
import type { Trace } from './trace.js'
import { failingPath, readCalls } from './trace.js'
import type { CallFrame } from './wire.js'

/** A call in the tree, with what is known of it. */
export interface Call {
  frame: CallFrame
  depth: number
  /** Its name in the tree: contract and function as far as they are known. */
  title: string
  contract: KnownContract | undefined
  calls: Call[]
  /** Whether it and all that it did was undone. */
  isUndone: boolean
}

/** An execution with its calls in order. */
export interface Executed {
  root: Call
  all: Call[]
  /** The call that failed first and took the others with it; undefined if none failed. */
  culprit: Call | undefined
  abis: AbiIndex
}

/** Addresses of an execution that are looked up among the artifacts. */
const mostAddresses = 50

/** Reads the calls of an execution, with the names of the contracts and functions in them. */
export async function readExecution(trace: Trace): Promise<Executed> {
  const [frame, abis] = await Promise.all([readCalls(trace), loadAbis()])
  const addresses = new Set<string>()
  const collect = ({ to, calls = [] }: CallFrame): void => {
    if (to !== undefined && addresses.size < mostAddresses) addresses.add(to)
    calls.forEach(collect)
  }
  collect(frame)
  const contracts = new Map(
    await Promise.all([...addresses].map(async (address) => [address, await contractAt(address)] as const)),
  )
  const all: Call[] = []
  const build = (inner: CallFrame, depth: number, isUndone: boolean): Call => {
    const contract = contracts.get(inner.to ?? '')
    const undone = isUndone || inner.error !== undefined
    const title = titleOf(abis, inner, contract)
    const call: Call = { frame: inner, depth, title, contract, calls: [], isUndone: undone }
    all.push(call)
    call.calls = (inner.calls ?? []).map((called) => build(called, depth + 1, undone))
    return call
  }
  const root = build(frame, 0, false)
  const failed = failingPath(frame).at(-1)
  return { root, all, culprit: all.find((call) => call.frame === failed), abis }
}

/** Why a call failed: the error that it reverted with, or the virtual machine's words. */
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
