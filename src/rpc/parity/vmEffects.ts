import type { RunState } from '../../chain/execution/runState.js'

/** Bytes of memory. */
export interface MemoryRange {
  offset: number
  length: number
}

/** Where the stack has the place in memory that an opcode works on, from its top; a length of its own, or bytes. */
type MemoryOperands = readonly [offset: number, length: { at: number } | { bytes: number }]

/** The opcodes that Parity shows with the memory they wrote, or read (OpenEthereum: evm/src/interpreter, mem_written). */
const memoryOperands: ReadonlyMap<number, MemoryOperands> = new Map<number, MemoryOperands>([
  [0x37, [0, { at: 2 }]], // CALLDATACOPY
  [0x39, [0, { at: 2 }]], // CODECOPY
  [0x3c, [1, { at: 3 }]], // EXTCODECOPY
  [0x3e, [0, { at: 2 }]], // RETURNDATACOPY
  [0x51, [0, { bytes: 32 }]], // MLOAD
  [0x52, [0, { bytes: 32 }]], // MSTORE
  [0x53, [0, { bytes: 1 }]], // MSTORE8
  [0x5e, [0, { at: 2 }]], // MCOPY
  [0xf1, [5, { at: 6 }]], // CALL
  [0xf2, [5, { at: 6 }]], // CALLCODE
  [0xf4, [4, { at: 5 }]], // DELEGATECALL
  [0xfa, [4, { at: 5 }]], // STATICCALL
])

/** The memory that an opcode is about to write or read; undefined if there is none. */
export function memoryWritten(opcode: number, stack: RunState['stack']): MemoryRange | undefined {
  const operands = memoryOperands.get(opcode)
  if (operands === undefined) return undefined
  const [at, size] = operands
  const length = 'bytes' in size ? size.bytes : Number(item(stack, size.at))
  return length === 0 ? undefined : { offset: Number(item(stack, at)), length }
}

function item(stack: RunState['stack'], depth: number): bigint {
  return stack.peek(depth + 1)[depth] ?? 0n
}

/** How many items an opcode pushes, by the Yellow Paper (appendix H.2): what DUP and SWAP reach counts as pushed again. */
export const pushedItems: readonly number[] = Array.from({ length: 256 }, (_, opcode) => {
  if (opcode >= 0x80 && opcode <= 0x9f) return (opcode & 0x0f) + 2
  return pushesOne(opcode) ? 1 : 0
})

function pushesOne(opcode: number): boolean {
  if (opcode <= 0x20) return opcode > 0x00
  if (opcode <= 0x4a) return ![0x37, 0x39, 0x3c, 0x3e].includes(opcode)
  if (opcode <= 0x7f) return [0x51, 0x54, 0x58, 0x59, 0x5a, 0x5c].includes(opcode) || opcode >= 0x5f
  return [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa].includes(opcode)
}
