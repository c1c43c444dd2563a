import type { StateManagerInterface } from '@ethereumjs/common'
import type { Address } from '@ethereumjs/util'
import { bigintToBytes } from '../../encoding/quantity.js'
import { keccak256 } from '../keccak.js'
import { WorkingState } from '../state/workingState.js'
import type { RunState } from './interpreter.js'

/** What an opcode does once its gas is paid; a promise only where the state is not at hand. */
export type OpcodeAction = (runState: RunState) => void | Promise<void>

const MASK = 0xffff_ffff_ffff_ffffn

/** 32 big-endian bytes as a number; most words on a stack are small. */
function readWord(bytes: Uint8Array, offset: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 32)
  const low = view.getBigUint64(24)
  const upper = [view.getBigUint64(0), view.getBigUint64(8), view.getBigUint64(16)] as const
  if (upper[0] === 0n && upper[1] === 0n && upper[2] === 0n) return low
  return (upper[0] << 192n) | (upper[1] << 128n) | (upper[2] << 64n) | low
}

function writeWord(bytes: Uint8Array, offset: number, word: bigint): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, 32)
  if (word <= MASK) {
    bytes.fill(0, offset, offset + 24)
    view.setBigUint64(24, word)
    return
  }
  view.setBigUint64(0, word >> 192n)
  view.setBigUint64(8, (word >> 128n) & MASK)
  view.setBigUint64(16, (word >> 64n) & MASK)
  view.setBigUint64(24, word & MASK)
}

function mload({ stack, memory }: RunState): void {
  stack.push(readWord(memory.read(Number(stack.pop()), 32, true), 0))
}

function mstore({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  memory.extend(offset, 32)
  writeWord(memory._store, offset, stack.pop())
}

function keccak({ stack, memory }: RunState): void {
  const offset = Number(stack.pop())
  const length = Number(stack.pop())
  const data = length === 0 ? new Uint8Array(0) : memory.read(offset, length, true)
  stack.push(readWord(keccak256(data), 0))
}

/** Actions that take the place of the library's, which convert numbers through text. */
export const fastActions: ReadonlyMap<number, OpcodeAction> = new Map([
  [0x20, keccak],
  [0x51, mload],
  [0x52, mstore],
])

/** EIP-2929. */
const COLD_SLOAD_GAS = 2_100n
const WARM_READ_GAS = 100n

/** The gas of SLOAD since Berlin; the slot is warm from then on. */
export function sloadGas({ stack, env, interpreter }: RunState): bigint {
  const slot = bigintToBytes(stack.peek(1)[0] ?? 0n, 32)
  const address = env.address.bytes
  const { journal } = interpreter
  if (journal.isWarmedStorage(address, slot)) return WARM_READ_GAS
  journal.addWarmedStorage(address, slot)
  return COLD_SLOAD_GAS
}

/** SLOAD on a state that can answer at once. */
export function sload(runState: RunState): void | Promise<void> {
  const { stack, env, stateManager } = runState
  const slot = bigintToBytes(stack.pop(), 32)
  const value = readStorage(stateManager, env.address, slot)
  if (value instanceof Promise) return value.then((bytes) => stack.push(toWord(bytes)))
  stack.push(toWord(value))
}

function readStorage(state: StateManagerInterface, address: Address, slot: Uint8Array) {
  return state instanceof WorkingState
    ? state.readStorage(address.bytes, slot)
    : state.getStorage(address, slot)
}

function toWord(value: Uint8Array): bigint {
  if (value.length === 32) return readWord(value, 0)
  let word = 0n
  for (const byte of value) word = (word << 8n) | BigInt(byte)
  return word
}
