import { opcodeNames } from '../../chain/evm/opcodeNames.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import {
  type StructLog,
  type StructLogOptions,
  type StructLogOutcome,
  type StructLogSink,
  StructLogger,
} from '../../chain/tracing/structLogger.js'
import type { ExecutionTracer, Step } from '../../chain/tracing/tracer.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import { LargeMap } from '../../encoding/largeMap.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ListWriter, PieceWriter, jsonBytes, jsonQuantity, writeBytes } from '../format/pieces.js'
import { printJson } from '../wire.js'
import type { Trace, TraceForm, TracerKind } from './tracerKind.js'

const WORD_DIGITS = 64
const WORD_BYTES = 32
/** Bytes of memory written at once. */
const MEMORY_AT_ONCE = 256 * 1024
const MEMORY_MEMBER = '"memory":['
/** Approximate text length of a count without its name. */
const COUNT_BYTES = 8

interface TraceFormat {
  /** Precedes the digits of words. */
  wordPrefix: '0x' | ''
  step: (log: StructLog) => string
  /** An empty return value. */
  nothing: '"0x"' | '""'
}

/** Prints steps as they occur. */
class StructLogText implements StructLogSink {
  readonly #format: TraceFormat
  readonly #writer = new PieceWriter()
  #isEmpty = true

  constructor(form: TraceForm) {
    this.#format = formats[form]
  }

  write(log: StructLog): number {
    const text = this.#format.step(log)
    this.#append(text)
    return text.length
  }

  *writeInSteps(log: StructLog): Steps<number> {
    const { memory = new Uint8Array(0) } = log
    const { step, wordPrefix } = this.#format
    // The text of all but the memory, with its first word to show the place.
    const text = step({ ...log, memory: memory.subarray(0, WORD_BYTES) })
    const [first = ''] = wordTexts(memory.subarray(0, WORD_BYTES), wordPrefix)
    const place = text.indexOf(MEMORY_MEMBER) + MEMORY_MEMBER.length + first.length
    this.#append(text.slice(0, place))
    let length = text.length
    for (let start = WORD_BYTES; start < memory.length; start += MEMORY_AT_ONCE) {
      const words = wordTexts(memory.subarray(start, start + MEMORY_AT_ONCE), wordPrefix)
      const piece = `,${words.join(',')}`
      this.#writer.append(piece)
      length += piece.length
      yield
    }
    this.#writer.append(text.slice(place))
    return length
  }

  #append(text: string): void {
    this.#writer.append(this.#isEmpty ? text : `,${text}`)
    this.#isEmpty = false
  }

  /** Writes the complete trace. */
  *writeAll({ gasUsed, failed, returnValue }: StructLogOutcome, writer: PieceWriter): Steps<void> {
    writer.append(`{"gas":${gasUsed},"failed":${failed},"returnValue":`)
    if (returnValue.length === 0) writer.append(this.#format.nothing)
    else yield* writeBytes(returnValue, writer)
    writer.append(',"structLogs":[')
    for (const piece of this.#writer.pieces()) {
      writer.take(piece)
      yield
    }
    writer.append(']}')
  }
}

/** Geth's format (eth/tracers/logger/logger.go, structLogLegacy). */
function gethStep(log: StructLog): string {
  const { refund, step } = log
  return `${stepMembers(log, step.cost)}${refund > 0n ? `,"refund":${refund}` : ''}}`
}

/** Anvil's format: geth's, except for the cost, and that it includes a zero refund. */
function anvilStep(log: StructLog): string {
  return `${stepMembers(log, revmCost(log.step))},"refund":${log.refund}}`
}

/** Returns what an opcode costs in revm: with the gas passed to a creation, and no more than was left. */
function revmCost({ gas, cost, creationGas = 0n }: Step): bigint {
  const paid = cost + creationGas
  return paid > gas ? gas : paid
}

function stepMembers({ step, stack, returnData, memory, storage }: StructLog, cost: bigint): string {
  const { runState, gas, failure } = step
  const { opCode, programCounter, env } = runState
  let text =
    `{"pc":${programCounter},"op":"${opcodeNames[opCode]}","gas":${gas},"gasCost":${cost}` +
    `,"depth":${env.depth + 1}`
  if (failure !== undefined) text += `,"error":${printJson(failure)}`
  if (stack !== undefined) text += `,"stack":[${stack.map(jsonQuantity).join(',')}]`
  if (returnData !== undefined && returnData.length > 0) text += `,"returnData":${jsonBytes(returnData)}`
  if (memory !== undefined && memory.length > 0) text += `,"memory":[${wordTexts(memory, '0x').join(',')}]`
  if (storage !== undefined) text += `,"storage":{${slotTexts(storage, '0x').join(',')}}`
  return text
}

/**
 * Hardhat's format, that of EIP-3155 before geth changed it: words have all their digits and no prefix, and every step
 * has all enabled members.
 */
function hardhatStep({ step, stack, memory, storage }: StructLog): string {
  const { runState, gas } = step
  const { opCode, programCounter, env } = runState
  const name = opcodeNames[opCode] ?? ''
  let text =
    `{"pc":${programCounter},"op":"${name}","gas":${gas},"gasCost":${revmCost(step)}` +
    `,"depth":${env.depth + 1}`
  if (stack !== undefined) {
    text += `,"stack":[${stack.map((item) => `"${item.toString(16).padStart(WORD_DIGITS, '0')}"`).join(',')}]`
  }
  if (memory !== undefined) text += `,"memory":[${wordTexts(memory, '').join(',')}]`
  if (storage !== undefined) text += `,"storage":{${slotTexts(storage, '').join(',')}}`
  if (name.endsWith(' not defined')) text += `,"error":{"message":"${name}"}`
  return `${text}}`
}

const formats: Readonly<Record<TraceForm, TraceFormat>> = {
  geth: { wordPrefix: '0x', step: gethStep, nothing: '"0x"' },
  anvil: { wordPrefix: '0x', step: anvilStep, nothing: '"0x"' },
  hardhat: { wordPrefix: '', step: hardhatStep, nothing: '""' },
}

function wordTexts(memory: Uint8Array, prefix: '0x' | ''): string[] {
  const digits = bytesToPlainHex(memory)
  return Array.from(
    { length: digits.length / WORD_DIGITS },
    (_, index) => `"${prefix}${digits.slice(WORD_DIGITS * index, WORD_DIGITS * (index + 1))}"`,
  )
}

function slotTexts(storage: ReadonlyMap<string, string>, prefix: '0x' | ''): string[] {
  return [...storage]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([slot, value]) => `"${prefix}${slot}":"${prefix}${value}"`)
}

/** Starts the default tracer, which logs every opcode with its stack. */
export function startStructLogger(options: StructLogOptions, budget: TraceBudget, form: TraceForm): Trace {
  const text = new StructLogText(form)
  const tracer = new StructLogger(options, text, budget)
  return { tracer, write: (_, writer) => text.writeAll(tracer.outcome, writer) }
}

/** opcountTracer: number of executed opcodes. */
const opcountTracer: TracerKind = {
  name: 'opcountTracer',
  start() {
    let count = 0
    const step = (): undefined => {
      count++
    }
    return {
      tracer: { step },
      write: function* (_, writer) {
        yield writer.append(String(count))
      },
    }
  },
}

/**
 * Creates a tracer that counts opcodes, or sequences of them, by name.
 *
 * @param counter - creates a function that names an opcode given its depth, 1 for the outermost frame; undefined is not
 * counted
 */
function countingTracer(
  name: string,
  counter: () => (opcode: string, depth: number) => string | undefined,
): TracerKind {
  return {
    name,
    start(_config, budget) {
      const counts = new LargeMap<number>()
      const keyOf = counter()
      const step: ExecutionTracer['step'] = ({ runState }) => {
        const key = keyOf(opcodeNames[runState.opCode] ?? '', runState.env.depth + 1)
        if (key === undefined) return undefined
        const count = counts.get(key) ?? 0
        if (count === 0) budget.spend(key.length + COUNT_BYTES)
        counts.set(key, count + 1)
        return undefined
      }
      return {
        tracer: { step },
        write: function* (_, writer) {
          const members = new ListWriter(writer, '{}')
          for (const [key, number] of counts) {
            members.append(`${printJson(key)}:${number}`)
            yield
          }
          members.end()
        },
      }
    },
  }
}

const unigramTracer = countingTracer('unigramTracer', () => (opcode) => opcode)

const bigramTracer = countingTracer('bigramTracer', () => {
  let last = { opcode: '', depth: 0 }
  return (opcode, depth) => {
    const key = depth === last.depth ? `${last.opcode}-${opcode}` : undefined
    last = { opcode, depth }
    return key
  }
})

/** An opcode that changes the depth is not counted, and starts a new sequence. */
const trigramTracer = countingTracer('trigramTracer', () => {
  let last = { opcodes: ['', ''], depth: 0 }
  return (opcode, depth) => {
    if (depth !== last.depth) {
      last = { opcodes: ['', ''], depth }
      return undefined
    }
    const [first = '', second = ''] = last.opcodes
    last = { opcodes: [second, opcode], depth }
    return `${first}-${second}-${opcode}`
  }
})

/** Tracers that count opcodes (geth: eth/tracers/js/internal/tracers). */
export const opcodeTracers = [opcountTracer, unigramTracer, bigramTracer, trigramTracer]
