import { EVMError } from '@ethereumjs/evm'
import { keccak256Word } from '../keccak.js'
import { NO_BYTES } from '../state/account.js'
import { FrameFailure } from './failure.js'
import type { RunState } from './interpreter.js'
import { readMemoryWord, viewOfMemory, wordToBytes, writeMemoryWord } from './words.js'

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

/** The library has this failure before the copy is paid, and without words of its own. */
export function returnDataCopy({ stack, memory, returnBytes }: RunState): void {
  const [target = 0n, start = 0n, length = 0n] = stack.popN(3)
  if (start + length > BigInt(returnBytes.length)) {
    throw new FrameFailure(EVMError.errorMessages.OUT_OF_GAS, 'return data out of bounds')
  }
  if (length === 0n) return
  const from = Number(start)
  memory.write(Number(target), Number(length), returnBytes.subarray(from, from + Number(length)))
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

/**
 * Copies a part of a source to memory, with zeros where the source has ended. The library makes an array of the part
 * first: of megabytes again and again, which is more work for the garbage collector than the copy is.
 */
export function copyToMemory({ stack, memory }: RunState, source: Uint8Array): void {
  const offset = Number(stack.pop())
  const from = Number(stack.pop())
  const length = Number(stack.pop())
  if (length === 0) return
  if (offset + length > memory._store.length) memory.extend(offset, length)
  const part = source.subarray(from, from + length)
  memory._store.set(part, offset)
  memory._store.fill(0, offset + part.length, offset + length)
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
  [0x37, (runState) => copyToMemory(runState, runState.env.callData)],
  [0x39, (runState) => copyToMemory(runState, runState.env.code)],
  [0x3e, returnDataCopy],
  [0x51, mload],
  [0x52, mstore],
  [LOG0, log],
  [0xa1, log],
  [0xa2, log],
  [0xa3, log],
  [0xa4, log],
  [0xf3, returnData],
])

/** Bytes of two words. */
export const PAIR_BYTES = 64
const PAIR_WORDS = 16
const PLACES = 256

/** Pairs of words that were hashed lately, each at a place that follows from the lower ends of both, and their hashes. */
const pairs = new Uint32Array(PLACES * PAIR_WORDS)
const hashes: (bigint | undefined)[] = new Array<undefined>(PLACES).fill(undefined)

/**
 * The keccak-256 hash of 64 bytes in the memory of a frame, which are there, as a number.
 *
 * The slot of a mapping's member is such a hash, of the key and the mapping's place: each call of a token asks for a few,
 * mostly the same as the call before. A pair that is known is found in a tenth of the time that hashing takes, and the
 * number that it gives is one that the slots are known by.
 */
export function hashOfPair(memory: Uint8Array, offset: number): bigint {
  const view = viewOfMemory(memory)
  const start = memory.byteOffset + offset
  const ends = view.getUint32(start + 28) ^ Math.imul(view.getUint32(start + 60), 0x85ebca6b)
  const place = Math.imul(ends, 0x9e3779b1) >>> 24
  const at = place * PAIR_WORDS
  const found = hashes[place]
  let isKnown = found !== undefined
  for (let i = 0; isKnown && i < PAIR_WORDS; i++) isKnown = pairs[at + i] === view.getUint32(start + 4 * i)
  if (isKnown) return found as bigint
  const hash = keccak256Word(memory.subarray(offset, offset + PAIR_BYTES))
  for (let i = 0; i < PAIR_WORDS; i++) pairs[at + i] = view.getUint32(start + 4 * i)
  hashes[place] = hash
  return hash
}
