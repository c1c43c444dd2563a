import { type RunState, stackItem } from './internals.js'
import { integerWord } from './words.js'

const MEMORY_WORD_GAS = 3
const QUADRATIC_DIVISOR = 512
const COPY_WORD_GAS = 3
const KECCAK_WORD_GAS = 6
const LOG_TOPIC_GAS = 375
const LOG_BYTE_GAS = 8

/**
 * Computes the gas of an opcode beyond its static gas, and records the memory it needs.
 *
 * The result is a number, exact up to 2^53; a higher cost exceeds any available gas.
 */
export type DynamicGas = (runState: RunState) => number

function words(bytes: bigint): number {
  return Math.ceil(Number(bytes) / 32)
}

/** Returns the gas for that many words of memory (Yellow Paper, appendix H.1). */
function memoryCost(count: number): number {
  const total = count * MEMORY_WORD_GAS + Math.floor((count * count) / QUADRATIC_DIVISOR)
  // Memory whose price exceeds exact numbers is more than anybody has gas for.
  return total > Number.MAX_SAFE_INTEGER ? Infinity : total
}

/** Returns the gas for expanding memory to `offset + length`, and records the expansion. */
export function expand(runState: RunState, offset: bigint, length: bigint): number {
  if (length === 0n) return 0
  const end = Number(offset) + Number(length)
  if (end <= Number(runState.memoryWordCount) * 32) return 0
  const count = Math.ceil(end / 32)
  const total = memoryCost(count)
  if (total === Infinity) return Infinity
  const gas = total - Number(runState.highestMemCost)
  runState.highestMemCost = integerWord(total)
  runState.memoryWordCount = integerWord(count)
  return gas
}

/** Returns the offset of the first byte after a region of memory; zero if it is empty. */
export function endOf(offset: bigint, length: bigint): number {
  return length === 0n ? 0 : Number(offset) + Number(length)
}

/** Returns the gas for expanding memory to an offset, without expanding it. */
export function expansionGas({ memoryWordCount, highestMemCost }: RunState, end: number): number {
  if (end <= Number(memoryWordCount) * 32) return 0
  return memoryCost(Math.ceil(end / 32)) - Number(highestMemCost)
}

/** Memory of a fixed length at the offset on top of the stack. */
function fixed(length: bigint): DynamicGas {
  return (runState) => expand(runState, stackItem(runState.stack, 0), length)
}

/** Memory with offset and length on top of the stack. */
function range(runState: RunState): number {
  return expand(runState, stackItem(runState.stack, 0), stackItem(runState.stack, 1))
}

/** Returns the gas for copying `length` bytes (Yellow Paper, G_copy). */
export function copyGas(length: bigint): number {
  return COPY_WORD_GAS * words(length)
}

/** A copy with memory offset, source offset and length on top of the stack. */
function copy(runState: RunState): number {
  const length = stackItem(runState.stack, 2)
  return expand(runState, stackItem(runState.stack, 0), length) + copyGas(length)
}

function memoryCopy(runState: RunState): number {
  const { stack } = runState
  const target = stackItem(stack, 0)
  const source = stackItem(stack, 1)
  const length = stackItem(stack, 2)
  return expand(runState, target > source ? target : source, length) + COPY_WORD_GAS * words(length)
}

function keccak(runState: RunState): number {
  return range(runState) + KECCAK_WORD_GAS * words(stackItem(runState.stack, 1))
}

function log(runState: RunState): number {
  const length = Number(stackItem(runState.stack, 1))
  return range(runState) + LOG_TOPIC_GAS * (runState.opCode - 0xa0) + LOG_BYTE_GAS * length
}

/**
 * Memory-dependent gas by opcode, the same in all forks. ethereumjs implements these as asynchronous functions, at the
 * cost of a promise each.
 */
export const memoryGas: readonly (DynamicGas | undefined)[] = (() => {
  const table = new Array<DynamicGas | undefined>(256).fill(undefined)
  table[0x20] = keccak
  table[0x37] = copy
  table[0x39] = copy
  table[0x3e] = copy
  table[0x51] = fixed(32n)
  table[0x52] = fixed(32n)
  table[0x53] = fixed(1n)
  table[0x5e] = memoryCopy
  table.fill(log, 0xa0, 0xa5)
  table[0xf3] = range
  table[0xfd] = range
  return table
})()
