import type { TraceBudget } from '../../chain/tracing/budget.js'
import {
  type StructLog,
  type StructLogOptions,
  type StructLogOutcome,
  type StructLogSink,
  StructLogger,
} from '../../chain/tracing/structLogger.js'
import { bytesToPlainHex } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import { jsonBytes, jsonQuantity } from '../format/members.js'
import { PieceWriter } from '../format/pieces.js'
import { printJson } from '../wire.js'
import type { Trace } from './tracerKind.js'

const from00 = 'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND'
const from10 = 'LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE SHL SHR SAR CLZ'
const from30 =
  'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE ' +
  'EXTCODESIZE EXTCODECOPY RETURNDATASIZE RETURNDATACOPY EXTCODEHASH BLOCKHASH COINBASE TIMESTAMP NUMBER ' +
  'DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBHASH BLOBBASEFEE'
const from50 =
  'POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC MSIZE GAS JUMPDEST TLOAD TSTORE MCOPY PUSH0'
const fromF0 = 'CREATE CALL CALLCODE RETURN DELEGATECALL CREATE2'

const names = Array.from({ length: 256 }, (_, opcode) => `opcode 0x${opcode.toString(16)} not defined`)

function name(first: number, list: string): void {
  list.split(' ').forEach((mnemonic, index) => {
    names[first + index] = mnemonic
  })
}

function number(first: number, mnemonic: string, from: number, to: number): void {
  for (let index = from; index <= to; index++) names[first + index - from] = `${mnemonic}${index}`
}

name(0x00, from00)
name(0x10, from10)
name(0x20, 'KECCAK256')
name(0x30, from30)
name(0x50, from50)
number(0x60, 'PUSH', 1, 32)
number(0x80, 'DUP', 1, 16)
number(0x90, 'SWAP', 1, 16)
number(0xa0, 'LOG', 0, 4)
name(0xf0, fromF0)
name(0xfa, 'STATICCALL')
name(0xfd, 'REVERT INVALID SELFDESTRUCT')

/** What geth calls each opcode, by its byte (core/vm/opcodes.go): PREVRANDAO is DIFFICULTY there. */
export const opcodeNames: readonly string[] = names

const WORD_DIGITS = 64

/** Prints steps as they come, in geth's form (eth/tracers/logger/logger.go, structLogLegacy). */
export class StructLogText implements StructLogSink {
  readonly #writer = new PieceWriter()
  #isEmpty = true

  write(log: StructLog): number {
    const text = stepText(log)
    this.#writer.append(this.#isEmpty ? text : `,${text}`)
    this.#isEmpty = false
    return text.length + 1
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
