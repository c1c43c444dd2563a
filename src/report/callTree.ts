import { checksumAddress } from '../chain/accounts/address.js'
import type { StoredBlock } from '../chain/block/record.js'
import { TraceBudget } from '../chain/tracing/budget.js'
import { type CallFrame, type CallLog, CallTracer } from '../chain/tracing/callTracer.js'
import { combineTracers } from '../chain/tracing/tracer.js'
import type { HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { ChainView } from '../chain/view.js'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'
import { CONSOLE_ADDRESS, decodeConsoleLog } from './consoleLog.js'
import type { Contracts } from './contracts.js'
import { describeFailure } from './contracts.js'

/** Options of a call tree. */
export interface CallTreeOptions {
  contracts: Contracts
  /** Returns the name of the contract at a 20-byte address. */
  nameOf: (address: Uint8Array) => string | undefined
  paint: Paint
}

/** Maximum characters of printed data; longer data is truncated. */
const LONGEST_DATA = 66

/** Formats a transaction as a call tree with names, gas, events and return values, one line each. */
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

/** Returns calls and events in order of occurrence. */
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

/** Limits of a trace for a developer. */
const LIMITS = { maxBytes: 64 * 1024 * 1024, timeoutMilliseconds: 30_000 }

/** A block to print. */
export interface TreeRequest {
  view: ChainView
  tracing: Pick<HistoryTracer, 'traceBlock'>
  block: StoredBlock
  contracts: Contracts
  colours: boolean
}

/** Formats the transactions of a block as call trees, each after a line with its hash. */
export async function traceTrees({
  view,
  tracing,
  block,
  contracts,
  colours,
}: TreeRequest): Promise<string[]> {
  const paint = createPaint({ colours })
  const frames = await framesOf(view, tracing, block)
  const names = await namesIn(frames, view, contracts)
  const nameOf = (address: Uint8Array): string | undefined => names.get(bytesToPlainHex(address))
  return frames.flatMap((frame, index) => [
    `Transaction ${bytesToHex(block.transactions[index]?.hash ?? new Uint8Array(0))}`,
    ...formatCallTree(frame, { contracts, nameOf, paint }).map((line) => `  ${line}`),
  ])
}

async function framesOf(
  view: ChainView,
  tracing: TreeRequest['tracing'],
  block: StoredBlock,
): Promise<CallFrame[]> {
  const frames: CallFrame[] = []
  let tracer: CallTracer | undefined
  await tracing.traceBlock({
    view,
    block,
    tracerFor: () => {
      const budget = new TraceBudget(LIMITS)
      tracer = new CallTracer({ withLog: true }, budget)
      return combineTracers([budget.guard(), tracer])
    },
    traced: () => {
      if (tracer !== undefined) frames.push(tracer.result)
    },
  })
  return frames
}

/** Names the contracts in frames by address, if their code is known. */
async function namesIn(
  frames: readonly CallFrame[],
  view: ChainView,
  contracts: Contracts,
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const { state } = await view.stateAt({ tag: 'latest' })
  const visit = async (frame: CallFrame): Promise<void> => {
    const key = bytesToPlainHex(frame.to)
    if (!names.has(key)) {
      const isCreation = frame.type === 'CREATE' || frame.type === 'CREATE2'
      const code = (isCreation ? frame.output : undefined) ?? (await state.getCode(frame.to))
      const name = code.length === 0 ? undefined : contracts.nameOf(code)
      if (name !== undefined) names.set(key, name)
    }
    for (const call of frame.calls) await visit(call)
  }
  for (const frame of frames) await visit(frame)
  return names
}

/** Colours the parts of a report. */
export interface Paint {
  name(text: string): string
  event(text: string): string
  success(text: string): string
  failure(text: string): string
  warning(text: string): string
  faint(text: string): string
}

/** No colours, for files and pipes. */
const plain: Paint = {
  name: (text) => text,
  event: (text) => text,
  success: (text) => text,
  failure: (text) => text,
  warning: (text) => text,
  faint: (text) => text,
}

/** Applies an ECMA-48 colour (SGR) and then restores the default. */
function inColour(code: number, end = 39): (text: string) => string {
  return (text) => `\u001b[${code}m${text}\u001b[${end}m`
}

const coloured: Paint = {
  name: inColour(36),
  event: inColour(35),
  success: inColour(32),
  failure: inColour(31),
  warning: inColour(33),
  faint: inColour(2, 22),
}

/** Creates colours for a terminal, none for anything else. */
export function createPaint({ colours }: { colours: boolean }): Paint {
  return colours ? coloured : plain
}
