import { type CodeTable, stackMaximum, stackMinimum } from './codeTable.js'
import { type OpcodeEntry, type RunState, memoryBytes, setStackHeight, stackItems } from './internals.js'
import { integerWord, readMemoryWord, readWord, toWord, writeMemoryWord } from './words.js'

const MODULUS = 2n ** 256n
const WORD_MASK = MODULUS - 1n
const WORD_BITS = 256n
const WORD_BYTES = 32
const SHR = 0x1c
const PUSH0 = 0x5f
const PUSH1 = 0x60
const DUP1 = 0x80
const SWAP1 = 0x90

/** What the loop shares with the rest of the interpreter. */
export interface PlainHost {
  /** Gas by opcode; zero for opcodes that {@link runPlain} does not handle in this fork. */
  readonly plainGas: Uint8Array
  /** Number of opcodes to run before the next look at the clock. */
  stepsLeft: number
}

/** Opcodes with a constant cost, at least while memory does not grow, that access neither gas nor state. */
const plainOpcodes: readonly (readonly [first: number, last: number])[] = [
  [0x01, 0x04],
  [0x06, 0x06],
  [0x10, 0x19],
  [0x1b, 0x1d],
  [0x33, 0x36],
  [0x3d, 0x3d],
  [0x50, 0x52],
  [0x56, 0x57],
  [0x5b, 0x5b],
  [0x5f, 0x9f],
]

/** MLOAD and MSTORE cost more if memory grows, and are then left to the caller. */
const growing: ReadonlySet<number> = new Set([0x51, 0x52])

/** Creates {@link PlainHost.plainGas} for a fork. @param opcodes - the library's, by byte */
export function createPlainGas(opcodes: readonly OpcodeEntry[]): Uint8Array {
  const table = new Uint8Array(256)
  for (const [first, last] of plainOpcodes) {
    for (let opcode = first; opcode <= last; opcode++) {
      const { isInvalid, dynamicGas, feeBigInt } = (opcodes[opcode] as OpcodeEntry).opcodeInfo
      if (!isInvalid && (!dynamicGas || growing.has(opcode))) table[opcode] = Number(feeBigInt)
    }
  }
  return table
}

/** Returns the first four bytes of data. */
function selectorOf(data: Uint8Array): bigint {
  const upper = ((data[0] as number) << 8) | (data[1] as number)
  return integerWord((upper << 16) | ((data[2] as number) << 8) | (data[3] as number))
}

function signed(word: bigint): bigint {
  return BigInt.asIntN(256, word)
}

/**
 * Runs opcodes that need nothing but the stack, the call data and existing memory. Stops before the first other opcode,
 * and before one that fails or that `affordable` does not cover, leaving it untouched for the caller. Most code
 * consists of plain opcodes, and a call for each would cost more than most of them. The cases are literal numbers so
 * that V8 compiles a jump table.
 *
 * @returns the gas used
 */
export function runPlain(runState: RunState, table: CodeTable, host: PlainHost, affordable: number): number {
  const { code, stack, memory, env } = runState
  const { plainGas } = host
  const { pushIndex, pushValues, pushNumbers } = table
  const items = stackItems(stack)
  const bytes = memoryBytes(memory)
  // Memory that is paid for may not be allocated yet.
  const lastWord = Math.min(Number(runState.memoryWordCount) * WORD_BYTES, bytes.length) - WORD_BYTES
  let place = runState.programCounter
  let height = stack.length
  let steps = host.stepsLeft
  let spent = 0
  // End and value of the last PUSH: the next opcode often needs a number, and converting a bigint is slow.
  let pushEnd = -1
  let pushed = 0
  loop: for (; steps > 0 && place < code.length; steps--) {
    const opcode = code[place] as number
    const gas = plainGas[opcode] as number
    if (gas === 0 || spent + gas > affordable) break
    if (height < (stackMinimum[opcode] as number) || height > (stackMaximum[opcode] as number)) break
    const top = height - 1
    switch (opcode) {
      case 0x01: {
        // ADD
        const sum = (items[top] as bigint) + (items[--height - 1] as bigint)
        items[height - 1] = sum > WORD_MASK ? sum - MODULUS : sum
        break
      }
      case 0x02: {
        // MUL
        const product = (items[top] as bigint) * (items[--height - 1] as bigint)
        items[height - 1] = product > WORD_MASK ? BigInt.asUintN(256, product) : product
        break
      }
      case 0x03: {
        // SUB
        const difference = (items[top] as bigint) - (items[--height - 1] as bigint)
        items[height - 1] = difference < 0n ? difference + MODULUS : difference
        break
      }
      case 0x04: {
        // DIV
        const divisor = items[--height - 1] as bigint
        items[height - 1] = divisor === 0n ? 0n : (items[top] as bigint) / divisor
        break
      }
      case 0x06: {
        // MOD
        const divisor = items[--height - 1] as bigint
        items[height - 1] = divisor === 0n ? 0n : (items[top] as bigint) % divisor
        break
      }
      case 0x10: // LT
        items[--height - 1] = (items[top] as bigint) < (items[height - 1] as bigint) ? 1n : 0n
        break
      case 0x11: // GT
        items[--height - 1] = (items[top] as bigint) > (items[height - 1] as bigint) ? 1n : 0n
        break
      case 0x12: // SLT
        items[--height - 1] = signed(items[top] as bigint) < signed(items[height - 1] as bigint) ? 1n : 0n
        break
      case 0x13: // SGT
        items[--height - 1] = signed(items[top] as bigint) > signed(items[height - 1] as bigint) ? 1n : 0n
        break
      case 0x14: // EQ
        items[--height - 1] = items[top] === items[height - 1] ? 1n : 0n
        break
      case 0x15: // ISZERO
        items[top] = items[top] === 0n ? 1n : 0n
        break
      case 0x16: // AND
        items[--height - 1] = (items[top] as bigint) & (items[height - 1] as bigint)
        break
      case 0x17: // OR
        items[--height - 1] = (items[top] as bigint) | (items[height - 1] as bigint)
        break
      case 0x18: // XOR
        items[--height - 1] = (items[top] as bigint) ^ (items[height - 1] as bigint)
        break
      case 0x19: // NOT
        items[top] = WORD_MASK - (items[top] as bigint)
        break
      case 0x1b: {
        // SHL
        const shift = items[top] as bigint
        const value = items[--height - 1] as bigint
        items[height - 1] = shift < WORD_BITS ? BigInt.asUintN(256, value << shift) : 0n
        break
      }
      case 0x1c: {
        // SHR
        const shift = items[top] as bigint
        const value = items[--height - 1] as bigint
        items[height - 1] = shift < WORD_BITS ? value >> shift : 0n
        break
      }
      case 0x1d: {
        // SAR
        const shift = items[top] as bigint
        const value = signed(items[--height - 1] as bigint)
        items[height - 1] = BigInt.asUintN(256, value >> (shift < WORD_BITS ? shift : WORD_BITS))
        break
      }
      case 0x33: // CALLER
        items[height++] = toWord(env.caller.bytes)
        break
      case 0x34: // CALLVALUE
        items[height++] = env.callValue
        break
      case 0x35: {
        // CALLDATALOAD
        if (
          items[top] === 0n &&
          code[place + 3] === SHR &&
          code[place + 1] === PUSH1 &&
          code[place + 2] === 224 &&
          env.callData.length >= 4 &&
          height <= (stackMaximum[PUSH1] as number) &&
          steps > 2
        ) {
          const more = (plainGas[PUSH1] as number) + (plainGas[SHR] as number)
          if (plainGas[SHR] !== 0 && spent + gas + more <= affordable) {
            // A function selector, which nearly all code begins with.
            items[top] = selectorOf(env.callData)
            steps -= 2
            place += 4
            spent += gas + more
            continue
          }
        }
        const offset = place === pushEnd ? pushed : Number(items[top])
        items[top] = offset < env.callData.length ? readWord(env.callData, offset) : 0n
        break
      }
      case 0x36: // CALLDATASIZE
        items[height++] = integerWord(env.callData.length)
        break
      case 0x3d: // RETURNDATASIZE
        items[height++] = integerWord(runState.returnBytes.length)
        break
      case 0x50: // POP
        height--
        break
      case 0x51: {
        // MLOAD
        const offset = place === pushEnd ? pushed : Number(items[top])
        if (offset > lastWord) break loop
        items[top] = readMemoryWord(bytes, offset)
        break
      }
      case 0x52: {
        // MSTORE
        const offset = place === pushEnd ? pushed : Number(items[top])
        if (offset > lastWord) break loop
        writeMemoryWord(bytes, offset, items[top - 1] as bigint)
        height -= 2
        break
      }
      case 0x56: {
        // JUMP
        const target = place === pushEnd ? pushed : Number(items[top])
        if (table.jumps[target] !== 1) break loop
        height--
        place = target
        spent += gas
        continue
      }
      case 0x57: {
        // JUMPI
        if (items[top - 1] !== 0n) {
          const target = place === pushEnd ? pushed : Number(items[top])
          if (table.jumps[target] !== 1) break loop
          height -= 2
          place = target
          spent += gas
          continue
        }
        height -= 2
        break
      }
      case 0x5b: // JUMPDEST
        break
      case 0x5f: // PUSH0
        items[height++] = 0n
        break
      default:
        if (opcode >= SWAP1) {
          const other = top - (opcode - SWAP1 + 1)
          const item = items[top] as bigint
          items[top] = items[other] as bigint
          items[other] = item
        } else if (opcode >= DUP1) {
          items[height++] = items[height - (opcode - DUP1) - 2] as bigint
        } else {
          const index = pushIndex[place] as number
          items[height++] = index === 0 ? table.readPush(place) : (pushValues[index] as bigint)
          place += opcode - PUSH0
          if (index !== 0) {
            pushed = pushNumbers[index] as number
            pushEnd = place + 1
          }
        }
    }
    place++
    spent += gas
  }
  runState.programCounter = place
  setStackHeight(stack, height)
  host.stepsLeft = steps
  return spent
}
