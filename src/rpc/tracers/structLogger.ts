import type { TraceBudget } from '../../chain/tracing/budget.js'
import {
  type StructLog,
  type StructLogOptions,
  type StructLogOutcome,
  type StructLogSink,
  StructLogger,
} from '../../chain/tracing/structLogger.js'
import { opcodeNames } from '../../chain/evm/opcodeNames.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { jsonBytes, jsonQuantity } from '../format/members.js'
import { PieceWriter } from '../format/pieces.js'
import { printJson } from '../wire.js'
import type { Trace } from './tracerKind.js'

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
