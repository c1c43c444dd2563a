import { checksumAddress } from '../chain/accounts/address.js'
import type { StoredBlock } from '../chain/block/record.js'
import { TraceBudget } from '../chain/tracing/budget.js'
import { type CallFrame, type CallLog, CallTracer } from '../chain/tracing/callTracer.js'
import { combineTracers } from '../chain/tracing/tracer.js'
import type { HistoryTracer } from '../chain/tracing/historyTracer.js'
import type { ChainView } from '../chain/view.js'
import { bytesToHex, bytesToPlainHex } from '../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../encoding/timeSlice.js'
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
const MAX_DATA_LENGTH = 66

/** Maximum number of lines of a transaction. */
const MAX_LINES = 10_000

/** A frame whose calls and events are being printed. */
interface OpenFrame {
  frame: CallFrame
  indent: string
  /** Numbers of its calls and events that are printed. */
  calls: number
  logs: number
}

/** Formats a transaction as a call tree with names, gas, events and return values, one line each. */
export function* formatCallTree(top: CallFrame, options: CallTreeOptions): Steps<string[]> {
  const lines = [titleOf(top, options)]
  const open: OpenFrame[] = isConsole(top) ? [] : [{ frame: top, indent: '', calls: 0, logs: 0 }]
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    yield
    const { frame, indent } = inner
    const [call, log] = [frame.calls[inner.calls], frame.logs[inner.logs]]
    if (lines.length >= MAX_LINES) {
      lines.push(`${indent}└─ ${options.paint.faint('… further calls and events are left out')}`)
      return lines
    }
    if (log !== undefined && (call === undefined || log.position <= inner.calls)) {
      lines.push(`${indent}├─ ${describeLog(log, options)}`)
      inner.logs++
    } else if (call !== undefined) {
      lines.push(`${indent}├─ ${titleOf(call, options)}`)
      inner.calls++
      if (!isConsole(call)) open.push({ frame: call, indent: `${indent}│  `, calls: 0, logs: 0 })
    } else {
      lines.push(`${indent}└─ ${describeEnd(frame, options)}`)
      open.pop()
    }
  }
  return lines
}

function isConsole({ to }: CallFrame): boolean {
  return bytesToHex(to) === CONSOLE_ADDRESS
}

function titleOf(frame: CallFrame, options: CallTreeOptions): string {
  const { paint } = options
  return isConsole(frame)
    ? paint.faint(`console.log: ${decodeConsoleLog(frame.input)}`)
    : `${paint.faint(`[${frame.gasUsed}]`)} ${describeCall(frame, options)}`
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

function describeLog({ topics, data }: CallLog, { contracts, paint }: CallTreeOptions): string {
  const known = contracts.describeEvent(topics, data)
  const plain = `(${[...topics, data].map((bytes) => shortened(bytes)).join(', ')})`
  return paint.event(`emit ${known ?? plain}`)
}

function shortened(bytes: Uint8Array): string {
  const text = bytesToHex(bytes)
  return text.length > MAX_DATA_LENGTH ? `${text.slice(0, MAX_DATA_LENGTH)}… (${bytes.length} bytes)` : text
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
  const slice = new TimeSlice()
  const lines: string[] = []
  for (const [index, frame] of frames.entries()) {
    lines.push(`Transaction ${bytesToHex(block.transactions[index]?.hash ?? new Uint8Array(0))}`)
    const tree = await runInSlices(formatCallTree(frame, { contracts, nameOf, paint }), slice)
    for (const line of tree) lines.push(`  ${line}`)
  }
  return lines
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
  const slice = new TimeSlice()
  const { state } = await view.stateAt({ tag: 'latest' })
  const visit = async (frame: CallFrame): Promise<void> => {
    const pause = slice.pause()
    if (pause !== undefined) await pause
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
