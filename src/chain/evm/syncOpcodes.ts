import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import { keccak256, keccak256Within } from '../crypto.js'
import { NO_BYTES } from '../state/account.js'
import { type CallHost, createCallOpcodes } from './callOpcodes.js'
import { type OpcodeEntry, type RunState, interpreterResult, memoryBytes, stackItem } from './internals.js'
import { type DynamicGas, memoryGas } from './memoryGas.js'
import { copyToMemory, mload, mstore, returnDataCopy } from './memoryOpcodes.js'
import { createStateOpcodes } from './stateOpcodes.js'
import { readWord, viewOfMemory, wordToBytes } from './words.js'

/** Executes an opcode once its gas is paid. Returns a promise only if something must be awaited. */
export type OpcodeAction = (runState: RunState) => void | Promise<void>

function keccak({ stack, memory }: RunState): void | Promise<void> {
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  if (length === PAIR_BYTES && offset + PAIR_BYTES <= memoryBytes(memory).length) {
    stack.push(hashOfPair(memoryBytes(memory), offset))
    return
  }
  const data = length === 0 ? NO_BYTES : memory.read(offset, length, true)
  const hash = keccak256Within(data)
  if (hash instanceof Promise) return hash.then((ready) => stack.push(readWord(ready, 0)))
  stack.push(readWord(hash, 0))
}

function log({ stack, memory, interpreter, opCode, env }: RunState): void {
  if (env.isStatic) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  const topics = stack.popN(opCode - LOG0).map(wordToBytes)
  interpreter.log(length === 0 ? NO_BYTES : memory.read(offset, length), topics.length, topics)
}

/** Ends a frame without the exception that the library throws for it. */
function stop(runState: RunState): void {
  runState.programCounter = runState.code.length
}

function returnData(runState: RunState): void {
  const { stack, memory, interpreter } = runState
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  const isAllocated = offset + length <= memoryBytes(memory).length
  interpreterResult(interpreter).returnValue =
    length === 0
      ? NO_BYTES
      : isAllocated
        ? memoryBytes(memory).slice(offset, offset + length)
        : memory.read(offset, length)
  stop(runState)
}

const LOG0 = 0xa0

/** Replacements for the library's actions, which convert numbers through strings and end frames by exceptions. */
const fastActions: ReadonlyMap<number, OpcodeAction> = new Map([
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

/** Length of two words in bytes. */
const PAIR_BYTES = 64
const PAIR_WORDS = 16
const CACHED_PAIRS = 256

/** Recently hashed pairs of words, indexed by the low ends of both, and their hashes. */
const pairs = new Uint32Array(CACHED_PAIRS * PAIR_WORDS)
const hashes: (bigint | undefined)[] = new Array<undefined>(CACHED_PAIRS).fill(undefined)

/**
 * Returns the keccak-256 hash of 64 bytes of existing frame memory, as a number.
 *
 * A mapping's slot is such a hash of key and mapping slot. Each call of a token needs a few, mostly the same as the
 * previous call. Finding a known pair takes a tenth of the time of hashing it, and returns the same number object that
 * the slot cache knows.
 */
export function hashOfPair(memory: Uint8Array, offset: number): bigint {
  const view = viewOfMemory(memory)
  const start = memory.byteOffset + offset
  const ends = view.getUint32(start + 28) ^ Math.imul(view.getUint32(start + 60), 0x85ebca6b)
  const index = Math.imul(ends, 0x9e3779b1) >>> 24
  const at = index * PAIR_WORDS
  const found = hashes[index]
  let isKnown = found !== undefined
  for (let i = 0; isKnown && i < PAIR_WORDS; i++) isKnown = pairs[at + i] === view.getUint32(start + 4 * i)
  if (isKnown) return found as bigint
  const hash = readWord(keccak256(memory.subarray(offset, offset + PAIR_BYTES)), 0)
  for (let i = 0; i < PAIR_WORDS; i++) pairs[at + i] = view.getUint32(start + 4 * i)
  hashes[index] = hash
  return hash
}

const EXP = 0x0a
const GAS = 0x5a
const AsyncFunction = (async () => {}).constructor

/**
 * Creates the synchronous opcodes of a fork by byte; undefined for the others, which the library's own step runs.
 *
 * ethereumjs marks some plain functions as asynchronous (CALLDATALOAD, CALLER), so this checks the function itself.
 */
export function createSyncOpcodes(
  table: readonly OpcodeEntry[],
  rules: Common,
  host: CallHost,
): (SyncOpcode | undefined)[] {
  const own = rules.isActivatedEIP(2929)
    ? new Map([...createStateOpcodes(host, rules), ...createCallOpcodes(host, rules)])
    : new Map<number, Omit<SyncOpcode, 'gas'>>()
  return table.map(({ opcodeInfo, opHandler }, opcode) => {
    const { feeBigInt, dynamicGas, isInvalid } = opcodeInfo
    const gas = Number(feeBigInt)
    const readsGas = opcode === GAS
    if (isInvalid) return undefined
    const replaced = own.get(opcode)
    if (replaced !== undefined) return { gas, ...replaced }
    if (opHandler.constructor === AsyncFunction) return undefined
    const action = fastActions.get(opcode) ?? opHandler
    if (!dynamicGas) return { gas, dynamicGas: undefined, readsGas, action }
    const known = opcode === EXP ? exponentGas(Number(rules.param('expByteGas'))) : memoryGas[opcode]
    return known === undefined ? undefined : { gas, dynamicGas: known, readsGas, action }
  })
}

/** EXP costs by the bytes of its exponent (EIP-160). */
function exponentGas(perByte: number): DynamicGas {
  return ({ stack }) => {
    const exponent = stackItem(stack, 1)
    return exponent === 0n ? 0 : perByte * ((exponent.toString(16).length + 1) >> 1)
  }
}

/** An opcode that runs without a promise. */
export interface SyncOpcode {
  /** Static gas. */
  gas: number
  /** Gas beyond the static gas. */
  dynamicGas: DynamicGas | undefined
  /** Whether it reads the remaining gas, which must then be up to date. */
  readsGas: boolean
  /** Returns a promise only if state must be loaded. */
  action: (runState: RunState, rules: Common) => unknown
}
