import { EVMError } from '@ethereumjs/evm'
import type { RunState } from './interpreter.js'

const MEMORY_WORD_GAS = 3n
const QUADRATIC_DIVISOR = 512n
const COPY_WORD_GAS = 3n
const KECCAK_WORD_GAS = 6n
const LOG_TOPIC_GAS = 375n
const LOG_BYTE_GAS = 8n

/** What an opcode costs beyond its static gas; the memory that it needs is taken note of. */
export type DynamicGas = (runState: RunState) => bigint

function words(bytes: bigint): bigint {
  return (bytes + 31n) >> 5n
}

/** The gas for memory up to `offset + length` (Yellow Paper, appendix H.1). */
export function expand(runState: RunState, offset: bigint, length: bigint): bigint {
  if (length === 0n || Number(offset) + Number(length) <= Number(runState.memoryWordCount) * 32) return 0n
  const count = words(offset + length)
  if (count <= runState.memoryWordCount) return 0n
  const total = count * MEMORY_WORD_GAS + (count * count) / QUADRATIC_DIVISOR
  const gas = total - runState.highestMemCost
  runState.highestMemCost = total
  runState.memoryWordCount = count
  return gas
}

/** Memory of a fixed length at the offset on top of the stack. */
function fixed(length: bigint): DynamicGas {
  return (runState) => {
    const { stack } = runState
    const offset = stack.pop()
    stack.push(offset)
    return expand(runState, offset, length)
  }
}

/** Offset and length on top of the stack. */
function range(runState: RunState): bigint {
  const [offset = 0n, length = 0n] = runState.stack.peek(2)
  return expand(runState, offset, length)
}

/** Offset in memory, offset in the source and length on top of the stack. */
function copy(runState: RunState): bigint {
  const [offset = 0n, , length = 0n] = runState.stack.peek(3)
  return expand(runState, offset, length) + COPY_WORD_GAS * words(length)
}

function returnDataCopy(runState: RunState): bigint {
  const [, source = 0n, length = 0n] = runState.stack.peek(3)
  if (source + length > BigInt(runState.returnBytes.length))
    throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
  return copy(runState)
}

function memoryCopy(runState: RunState): bigint {
  const [target = 0n, source = 0n, length = 0n] = runState.stack.peek(3)
  const furthest = target > source ? target : source
  return expand(runState, furthest, length) + COPY_WORD_GAS * words(length)
}

function keccak(runState: RunState): bigint {
  const [, length = 0n] = runState.stack.peek(2)
  return range(runState) + KECCAK_WORD_GAS * words(length)
}

function log(runState: RunState): bigint {
  if (runState.env.isStatic) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
  const [, length = 0n] = runState.stack.peek(2)
  return range(runState) + LOG_TOPIC_GAS * BigInt(runState.opCode - 0xa0) + LOG_BYTE_GAS * length
}

/**
 * The gas of opcodes that depends on memory alone, by opcode: the same in all forks. ethereumjs has these as
 * asynchronous functions, which costs a promise each.
 */
export const memoryGas: readonly (DynamicGas | undefined)[] = (() => {
  const table = new Array<DynamicGas | undefined>(256).fill(undefined)
  table[0x20] = keccak
  table[0x37] = copy
  table[0x39] = copy
  table[0x3e] = returnDataCopy
  table[0x51] = fixed(32n)
  table[0x52] = fixed(32n)
  table[0x53] = fixed(1n)
  table[0x5e] = memoryCopy
  table.fill(log, 0xa0, 0xa5)
  table[0xf3] = range
  table[0xfd] = range
  return table
})()
