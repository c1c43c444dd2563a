import { keccak256Word } from '../keccak.js'
import { NO_BYTES } from '../state/account.js'
import { hashOfPair, PAIR_BYTES } from './pairHashes.js'
import type { RunState } from './runState.js'
import { readMemoryWord, wordToBytes, writeMemoryWord } from './words.js'

/** What an opcode does once its gas is paid; a promise only where something is awaited. */
export type OpcodeAction = (runState: RunState) => void | Promise<void>

function mload({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  if (offset + 32 > memory._store.length) memory.extend(offset, 32)
  stack.push(readMemoryWord(memory._store, offset))
}

function mstore({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  if (offset + 32 > memory._store.length) memory.extend(offset, 32)
  writeMemoryWord(memory._store, offset, stack.pop())
}

function keccak({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  if (length === PAIR_BYTES && offset + PAIR_BYTES <= memory._store.length) {
    stack.push(hashOfPair(memory._store, offset))
    return
  }
  const data = length === 0 ? NO_BYTES : memory.read(offset, length, true)
  stack.push(keccak256Word(data))
}

function log({ stack, memory, interpreter, opCode }: RunState): void {
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  const topics = stack.popN(opCode - LOG0).map(wordToBytes)
  interpreter.log(length === 0 ? NO_BYTES : memory.read(offset, length), topics.length, topics)
}

/** The end of a frame without the exception that the library throws for it. */
function stop(runState: RunState): void {
  runState.programCounter = runState.code.length
}

function returnData(runState: RunState): void {
  const { stack, memory, interpreter } = runState
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  const isThere = offset + length <= memory._store.length
  interpreter._result.returnValue =
    length === 0
      ? NO_BYTES
      : isThere
        ? memory._store.slice(offset, offset + length)
        : memory.read(offset, length)
  stop(runState)
}

const LOG0 = 0xa0

/** Actions that take the place of the library's, which convert numbers through text and end frames by exceptions. */
export const fastActions: ReadonlyMap<number, OpcodeAction> = new Map([
  [0x00, stop],
  [0x20, keccak],
  [0x51, mload],
  [0x52, mstore],
  [LOG0, log],
  [0xa1, log],
  [0xa2, log],
  [0xa3, log],
  [0xa4, log],
  [0xf3, returnData],
])
