import { checksumAddress } from '../chain/accounts/address.js'
import type { CallFrame, CallLog } from '../chain/tracing/callTracer.js'
import { bytesToHex } from '../encoding/hex.js'
import type { Contracts } from './contracts.js'
import { describeFailure } from './describeFailure.js'
import { CONSOLE_ADDRESS, decodeConsoleLog } from './consoleLog/decode.js'
import type { Paint } from './paint.js'

/** What a call tree is printed with. */
export interface CallTreeOptions {
  contracts: Contracts
  /** The name of the contract at a 20-byte address. */
  nameOf: (address: Uint8Array) => string | undefined
  paint: Paint
}

/** Longest data that is printed; of longer data the beginning is. */
const LONGEST_DATA = 66

/** The calls of a transaction as a tree, with names, gas, events and what was returned; one line each. */
export function formatCallTree(top: CallFrame, options: CallTreeOptions): string[] {
  const { title, children } = nodeOf(top, options)
  return [title, ...branches(children)]
}

interface TreeNode {
  title: string
  children: readonly TreeNode[]
}

function branches(children: readonly TreeNode[]): string[] {
  return children.flatMap(({ title, children: inner }, index) => {
    const isLast = index === children.length - 1
    const [stem, indent] = isLast ? ['└─ ', '   '] : ['├─ ', '│  ']
    return [stem + title, ...branches(inner).map((line) => indent + line)]
  })
}

function nodeOf(frame: CallFrame, options: CallTreeOptions): TreeNode {
  const { paint } = options
  if (bytesToHex(frame.to) === CONSOLE_ADDRESS) {
    return { title: paint.faint(`console.log: ${decodeConsoleLog(frame.input)}`), children: [] }
  }
  return {
    title: `${paint.faint(`[${frame.gasUsed}]`)} ${describeCall(frame, options)}`,
    children: [...innerNodes(frame, options), { title: describeEnd(frame, options), children: [] }],
  }
}

/** Calls and events in the order in which they happened. */
function innerNodes(frame: CallFrame, options: CallTreeOptions): TreeNode[] {
  const nodes: TreeNode[] = []
  const logs = [...frame.logs]
  frame.calls.forEach((call, index) => {
    while (logs[0] !== undefined && logs[0].position <= index) nodes.push(logNode(logs.shift(), options))
    nodes.push(nodeOf(call, options))
  })
  return [...nodes, ...logs.map((log) => logNode(log, options))]
}

function describeCall({ type, to, input, value = 0n }: CallFrame, options: CallTreeOptions): string {
  const { contracts, nameOf, paint } = options
  const target = nameOf(to) ?? checksumAddress(to)
  if (type === 'SELFDESTRUCT') return paint.warning(`selfdestruct → ${target}`)
  const paid = value > 0n && type !== 'DELEGATECALL' ? `{value: ${value}}` : ''
  if (type === 'CREATE' || type === 'CREATE2') {
    return `${paint.name(`→ new ${target}`)}${paid} ${paint.faint(`@ ${checksumAddress(to)}`)}`
  }
  const call = contracts.describeCall(input) ?? (input.length === 0 ? 'fallback()' : shortened(input))
  const kind = type === 'CALL' ? '' : ` ${paint.faint(`[${type.toLowerCase()}]`)}`
  return `${paint.name(target)}::${call}${paid}${kind}`
}

function describeEnd(frame: CallFrame, { contracts, paint }: CallTreeOptions): string {
  const { failure, output = new Uint8Array(0), type, input } = frame
  if (failure !== undefined) {
    return paint.failure(`← [failed] ${describeFailure({ failure, output }, contracts)}`)
  }
  if (type === 'CREATE' || type === 'CREATE2') return paint.success(`← ${output.length} bytes of code`)
  const result = contracts.describeResult(input, output) ?? (output.length === 0 ? '' : shortened(output))
  return paint.success(`← [returned] ${result}`.trimEnd())
}

function logNode(log: CallLog | undefined, { contracts, paint }: CallTreeOptions): TreeNode {
  const { topics = [], data = new Uint8Array(0) } = log ?? {}
  const known = contracts.describeEvent(topics, data)
  const plain = `(${[...topics, data].map((bytes) => shortened(bytes)).join(', ')})`
  return { title: paint.event(`emit ${known ?? plain}`), children: [] }
}

function shortened(bytes: Uint8Array): string {
  const text = bytesToHex(bytes)
  return text.length > LONGEST_DATA ? `${text.slice(0, LONGEST_DATA)}… (${bytes.length} bytes)` : text
}
