import { EVMError } from '@ethereumjs/evm'
import { FrameFailure } from './failure.js'
import { type RunState, memoryBytes } from './internals.js'
import { readMemoryWord, writeMemoryWord } from './words.js'

/** MLOAD. */
export function mload({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  if (offset + 32 > memoryBytes(memory).length) memory.extend(offset, 32)
  stack.push(readMemoryWord(memoryBytes(memory), offset))
}

/** MSTORE. */
export function mstore({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  if (offset + 32 > memoryBytes(memory).length) memory.extend(offset, 32)
  writeMemoryWord(memoryBytes(memory), offset, stack.pop())
}

/** RETURNDATACOPY. The library reports this failure before the copy is paid for, and without a message of its own. */
export function returnDataCopy({ stack, memory, returnBytes }: RunState): void {
  const [target = 0n, start = 0n, length = 0n] = stack.popN(3)
  if (start + length > BigInt(returnBytes.length)) {
    throw new FrameFailure(EVMError.errorMessages.OUT_OF_GAS, 'return data out of bounds')
  }
  if (length === 0n) return
  const from = Number(start)
  memory.write(Number(target), Number(length), returnBytes.subarray(from, from + Number(length)))
}

/**
 * Copies part of a source to memory, padded with zeros. The library copies the part to an array first: repeated with
 * megabytes, that is more work for the garbage collector than the copy itself.
 */
export function copyToMemory({ stack, memory }: RunState, source: Uint8Array): void {
  const offset = Number(stack.pop())
  const from = Number(stack.pop())
  const length = Number(stack.pop())
  if (length === 0) return
  if (offset + length > memoryBytes(memory).length) memory.extend(offset, length)
  const part = source.subarray(from, from + length)
  const bytes = memoryBytes(memory)
  bytes.set(part, offset)
  bytes.fill(0, offset + part.length, offset + length)
}
