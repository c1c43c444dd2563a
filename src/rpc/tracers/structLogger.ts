import { opcodeNames } from '../../chain/evm/opcodeNames.js'
import type { TraceBudget } from '../../chain/tracing/budget.js'
import {
  type StructLog,
  type StructLogOptions,
  type StructLogOutcome,
  type StructLogSink,
  StructLogger,
} from '../../chain/tracing/structLogger.js'
import type { ExecutionTracer } from '../../chain/tracing/tracer.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { ListWriter, PieceWriter, jsonBytes, jsonQuantity } from '../format/pieces.js'
import { printJson } from '../wire.js'
import type { Trace, TracerKind } from './tracerKind.js'

const WORD_DIGITS = 64

/** Prints steps as they come, in geth's form (eth/tracers/logger/logger.go, structLogLegacy). */
export class StructLogText implements StructLogSink {
  readonly #writer = new PieceWriter()
  #isEmpty = true

  write(log: StructLog): number {
    const text = stepText(log)
    this.#writer.append(this.#isEmpty ? text : `,${text}`)
    this.#isEmpty = false
    return text.length
  }

  /** Writes the whole trace. */
  *writeAll({ gasUsed, failed, returnValue }: StructLogOutcome, writer: PieceWriter): Steps<void> {
    writer.append(
      `{"gas":${gasUsed},"failed":${failed},"returnValue":${jsonBytes(returnValue)},"structLogs":[`,
    )
    for (const piece of this.#writer.pieces()) {
      writer.take(piece)
      yield
    }
    writer.append(']}')
  }
}

function stepText({ step, refund, stack, returnData, memory, storage }: StructLog): string {
  const { runState, gas, cost, failure } = step
  const { opCode, programCounter, env } = runState
  let text =
    `{"pc":${programCounter},"op":"${opcodeNames[opCode]}","gas":${gas},"gasCost":${cost}` +
    `,"depth":${env.depth + 1}`
  if (failure !== undefined) text += `,"error":${printJson(failure)}`
  if (stack !== undefined) text += `,"stack":[${stack.map(jsonQuantity).join(',')}]`
  if (returnData !== undefined && returnData.length > 0) text += `,"returnData":${jsonBytes(returnData)}`
  if (memory !== undefined && memory.length > 0) text += `,"memory":[${wordTexts(memory).join(',')}]`
  if (storage !== undefined) text += `,"storage":{${slotTexts(storage).join(',')}}`
  if (refund > 0n) text += `,"refund":${refund}`
  return `${text}}`
}

function wordTexts(memory: Uint8Array): string[] {
  const digits = bytesToPlainHex(memory)
  return Array.from(
    { length: digits.length / WORD_DIGITS },
    (_, index) => `"0x${digits.slice(WORD_DIGITS * index, WORD_DIGITS * (index + 1))}"`,
  )
}

function slotTexts(storage: ReadonlyMap<string, string>): string[] {
  return [...storage].sort(([a], [b]) => (a < b ? -1 : 1)).map(([slot, value]) => `"0x${slot}":"0x${value}"`)
}

/** The tracer that has no name: every opcode with its stack. */
export function startStructLogger(options: StructLogOptions, budget: TraceBudget): Trace {
  const text = new StructLogText()
  const tracer = new StructLogger(options, text, budget)
  return { tracer, write: (_, writer) => text.writeAll(tracer.outcome, writer) }
}

/** opcountTracer: how many opcodes ran. */
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
 * A tracer that counts by name: of each opcode, or of each one after those before it in its frame.
 *
 * @param counter - makes what names an opcode by its frame, whose depth is 1 for the outermost; undefined is not counted
 */
function countingTracer(
  name: string,
  counter: () => (opcode: string, depth: number) => string | undefined,
): TracerKind {
  return {
    name,
    start() {
      const counts = new Map<string, number>()
      const keyOf = counter()
      const step: ExecutionTracer['step'] = ({ runState }) => {
        const key = keyOf(opcodeNames[runState.opCode] ?? '', runState.env.depth + 1)
        if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
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

/** The opcode that changes the depth is not counted, and begins anew. */
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

/** The tracers that count opcodes (geth: eth/tracers/js/internal/tracers). */
export const opcodeTracers = [opcountTracer, unigramTracer, bigramTracer, trigramTracer]
