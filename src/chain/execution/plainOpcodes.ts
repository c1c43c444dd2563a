import { EVMError } from '@ethereumjs/evm'
import type { OpcodeAction } from './fastOpcodes.js'
import type { OpcodeEntry, RunState } from './runState.js'

/** An opcode that always costs the same and neither sees nor changes gas and state. */
export interface PlainOpcode {
  /** A small number: sums of these are exact. */
  gas: number
  action: (runState: RunState) => void
}

const MODULUS = 2n ** 256n
const WORD_MASK = MODULUS - 1n
const WORD_BITS = 256n

/** Replaces the two upper items by what comes of them; `a` is on top. */
function binary(compute: (a: bigint, b: bigint) => bigint): PlainOpcode['action'] {
  return ({ stack }) => {
    const a = stack.pop()
    stack.push(compute(a, stack.pop()))
  }
}

function comparison(holds: (a: bigint, b: bigint) => boolean): PlainOpcode['action'] {
  return binary((a, b) => (holds(a, b) ? 1n : 0n))
}

function signed(word: bigint): bigint {
  return BigInt.asIntN(256, word)
}

function add(a: bigint, b: bigint): bigint {
  const sum = a + b
  return sum > WORD_MASK ? sum - MODULUS : sum
}

function subtract(a: bigint, b: bigint): bigint {
  const difference = a - b
  return difference < 0n ? difference + MODULUS : difference
}

function multiply(a: bigint, b: bigint): bigint {
  const product = a * b
  return product > WORD_MASK ? BigInt.asUintN(256, product) : product
}

function shiftRightSigned(shift: bigint, value: bigint): bigint {
  return BigInt.asUintN(256, signed(value) >> (shift < WORD_BITS ? shift : WORD_BITS))
}

/** @throws EVMError where no JUMPDEST is */
function jumpTo(runState: RunState, target: bigint): void {
  const position = Number(target)
  if (runState.validJumps[position] !== 1) throw new EVMError(EVMError.errorMessages.INVALID_JUMP)
  runState.programCounter = position
}

function jumpIf(runState: RunState): void {
  const { stack } = runState
  const target = stack.pop()
  if (stack.pop() !== 0n) jumpTo(runState, target)
}

/** The library's PUSH, which reads the code where it has not been analysed, or the value that the analysis found. */
function push(count: number, read: OpcodeAction): PlainOpcode['action'] {
  return (runState) => {
    if (runState.shouldDoJumpAnalysis) return void read(runState)
    const { programCounter } = runState
    runState.stack.push(runState.cachedPushes[programCounter] as bigint)
    runState.programCounter = programCounter + count
  }
}

/** By opcode; PUSH, DUP and SWAP are in {@link createPlainOpcodes}. */
const actions: ReadonlyMap<number, PlainOpcode['action']> = new Map([
  [0x01, binary(add)],
  [0x02, binary(multiply)],
  [0x03, binary(subtract)],
  [0x04, binary((a, b) => (b === 0n ? 0n : a / b))],
  [0x06, binary((a, b) => (b === 0n ? 0n : a % b))],
  [0x10, comparison((a, b) => a < b)],
  [0x11, comparison((a, b) => a > b)],
  [0x12, comparison((a, b) => signed(a) < signed(b))],
  [0x13, comparison((a, b) => signed(a) > signed(b))],
  [0x14, comparison((a, b) => a === b)],
  [0x15, ({ stack }) => stack.push(stack.pop() === 0n ? 1n : 0n)],
  [0x16, binary((a, b) => a & b)],
  [0x17, binary((a, b) => a | b)],
  [0x18, binary((a, b) => a ^ b)],
  [0x19, ({ stack }) => stack.push(WORD_MASK - stack.pop())],
  [0x1b, binary((shift, value) => (shift < WORD_BITS ? BigInt.asUintN(256, value << shift) : 0n))],
  [0x1c, binary((shift, value) => (shift < WORD_BITS ? value >> shift : 0n))],
  [0x1d, binary(shiftRightSigned)],
  [0x34, ({ stack, env }) => stack.push(env.callValue)],
  [0x36, ({ stack, env }) => stack.push(BigInt(env.callData.length))],
  [0x3d, ({ stack, returnBytes }) => stack.push(BigInt(returnBytes.length))],
  [0x50, ({ stack }) => void stack.pop()],
  [0x56, (runState) => jumpTo(runState, runState.stack.pop())],
  [0x57, jumpIf],
  [0x5b, () => undefined],
  [0x5f, ({ stack }) => stack.push(0n)],
])

function actionOf(opcode: number, library: OpcodeAction): PlainOpcode['action'] | undefined {
  if (opcode >= 0x60 && opcode <= 0x7f) return push(opcode - 0x5f, library)
  if (opcode >= 0x80 && opcode <= 0x8f) return ({ stack }) => stack.dup(opcode - 0x7f)
  if (opcode >= 0x90 && opcode <= 0x9f) return ({ stack }) => stack.swap(opcode - 0x8f)
  return actions.get(opcode)
}

/**
 * The opcodes of a fork that most code consists of, by their byte. ethereumjs' handlers make an array of what they take
 * from the stack and a number of the code's length for each jump; these make neither.
 *
 * @param table - the library's opcodes of the fork
 * @param run - the library's handler of an opcode, with the rules of the fork
 */
export function createPlainOpcodes(
  table: readonly OpcodeEntry[],
  run: (entry: OpcodeEntry) => OpcodeAction,
): (PlainOpcode | undefined)[] {
  return table.map((entry, opcode) => {
    const { isInvalid, dynamicGas, feeBigInt } = entry.opcodeInfo
    if (isInvalid || dynamicGas === true) return undefined
    const action = actionOf(opcode, run(entry))
    return action && { gas: Number(feeBigInt), action }
  })
}
