import { EVMError } from '@ethereumjs/evm'
import { bytesEqual } from '../../encoding/hex.js'
import { type Awaitable, whenReady } from '../../encoding/timeSlice.js'
import { type AccountRecord, type SlotKey, isEmptyRecord, stripZeros } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules } from '../types.js'
import { SSTORE_SENTRY_GAS } from './forkSchedule.js'
import { loaded } from './frameEnvironment.js'
import type { FrameJournal } from './frameJournal.js'
import { type RunState, stackItem } from './internals.js'
import { copyGas, expand } from './memoryGas.js'
import { copyToMemory } from './memoryOpcodes.js'
import type { SyncOpcode } from './syncOpcodes.js'
import { readWord, slotOfWord, toWord, wordToAddress, wordToBytes } from './words.js'

/** EIP-2929: gas of the first access to a slot. */
const COLD_SLOAD_GAS = 2_100
/** EIP-2929: gas of the first access to an account. */
export const COLD_ACCOUNT_GAS = 2_600
/** EIP-2929: gas of further accesses to an account or slot. */
export const WARM_READ_GAS = 100
/** EIP-2200, SSTORE_SET_GAS. */
const SSTORE_SET_GAS = 20_000
/** EIP-2929: SSTORE_RESET_GAS (5000) without COLD_SLOAD_COST. */
const SSTORE_RESET_GAS = 2_900

/** An opcode without its static gas. */
type StateOpcode = Omit<SyncOpcode, 'gas'>

/** The owner of a frame journal. */
export interface JournalOwner {
  readonly frameJournal: FrameJournal
}

/** Warms the account at a 20-byte address and returns the gas for accessing it (EIP-2929). */
export function accessGas({ frameJournal }: JournalOwner, address: Uint8Array): number {
  return frameJournal.warmAddress(address) ? WARM_READ_GAS : COLD_ACCOUNT_GAS
}

/** Returns the slot named on top of the stack. */
function topSlot({ stack }: RunState): SlotKey {
  return slotOfWord(stackItem(stack, 0))
}

function topAddress({ stack }: RunState): Uint8Array {
  return wordToAddress(stackItem(stack, 0))
}

/** Pushes what a value of the state means to an opcode, at once if it is loaded. */
function pushOf<T>(
  stack: RunState['stack'],
  value: Awaitable<T>,
  wordOf: (value: T) => bigint,
): void | Promise<void> {
  if (value instanceof Promise) return value.then((arrived) => stack.push(wordOf(arrived)))
  stack.push(wordOf(value))
}

function balanceIn(account: AccountRecord | undefined): bigint {
  return account?.balance ?? 0n
}

function lengthOf(code: Uint8Array): bigint {
  return BigInt(code.length)
}

/** EIP-1052: zero for an empty account. */
function codeHashIn(account: AccountRecord | undefined): bigint {
  return account === undefined || isEmptyRecord(account) ? 0n : readWord(account.codeHash, 0)
}

/**
 * Creates the opcodes that read and write state, for forks since Berlin, keyed by byte. ethereumjs implements them as
 * asynchronous functions, which cost several promises each, and converts numbers through strings.
 */
export function createStateOpcodes(
  host: JournalOwner & { readonly state: WorkingState },
  rules: ForkRules,
): ReadonlyMap<number, StateOpcode> {
  const clearRefund = rules.param('sstoreClearRefundEIP2200Gas')

  /** EIP-2200 with EIP-2929 and EIP-3529. */
  function sstoreGas(runState: RunState): number {
    const { stack, env, interpreter, gasLeft } = runState
    if (env.isStatic) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
    if (gasLeft <= SSTORE_SENTRY_GAS) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
    const slot = topSlot(runState)
    const address = env.address.bytes
    const { value: current, original } = loaded(host.state.readSlot(address, slot))
    const cold = host.frameJournal.warmSlot(address, slot) ? 0 : COLD_SLOAD_GAS
    const value = stripZeros(wordToBytes(stackItem(stack, 1)))
    if (bytesEqual(current, value)) return cold + WARM_READ_GAS
    if (bytesEqual(original, current)) {
      if (original.length === 0) return cold + SSTORE_SET_GAS
      if (value.length === 0) interpreter.refundGas(clearRefund)
      return cold + SSTORE_RESET_GAS
    }
    if (original.length > 0) {
      if (current.length === 0) interpreter.subRefund(clearRefund)
      else if (value.length === 0) interpreter.refundGas(clearRefund)
    }
    if (bytesEqual(original, value)) {
      const paid = original.length === 0 ? SSTORE_SET_GAS : SSTORE_RESET_GAS
      interpreter.refundGas(BigInt(paid - WARM_READ_GAS))
    }
    return cold + WARM_READ_GAS
  }

  function sstore({ stack, env }: RunState): void | Promise<void> {
    const slot = slotOfWord(stack.pop())
    return host.state.storeSlot(env.address.bytes, slot, wordToBytes(stack.pop()))
  }

  function sloadGas(runState: RunState): number {
    const isWarm = host.frameJournal.warmSlot(runState.env.address.bytes, topSlot(runState))
    return isWarm ? WARM_READ_GAS : COLD_SLOAD_GAS
  }

  function sload({ stack, env }: RunState): void | Promise<void> {
    return pushOf(stack, host.state.loadSlot(env.address.bytes, slotOfWord(stack.pop())), toWord)
  }

  /** The account itself is only read once this is paid, as in geth. */
  function accountGas(runState: RunState): number {
    return accessGas(host, topAddress(runState))
  }

  function balance({ stack }: RunState): void | Promise<void> {
    return pushOf(stack, host.state.readAccount(wordToAddress(stack.pop())), balanceIn)
  }

  function selfBalance({ stack, env }: RunState): void {
    stack.push(balanceIn(loaded(host.state.readAccount(env.address.bytes))))
  }

  function codeSize({ stack }: RunState): void | Promise<void> {
    return pushOf(stack, host.state.readCode(wordToAddress(stack.pop())), lengthOf)
  }

  /** The address comes first, before the operands that every copy has. */
  function codeCopyGas(runState: RunState): number {
    const { stack } = runState
    const length = stackItem(stack, 3)
    return accountGas(runState) + expand(runState, stackItem(stack, 1), length) + copyGas(length)
  }

  function codeCopy(runState: RunState): Awaitable<void> {
    const code = host.state.readCode(wordToAddress(runState.stack.pop()))
    return whenReady(code, (bytes) => copyToMemory(runState, bytes))
  }

  function codeHash({ stack }: RunState): void | Promise<void> {
    return pushOf(stack, host.state.readAccount(wordToAddress(stack.pop())), codeHashIn)
  }

  return new Map<number, StateOpcode>([
    [0x31, { dynamicGas: accountGas, readsGas: false, action: balance }],
    [0x3c, { dynamicGas: codeCopyGas, readsGas: false, action: codeCopy }],
    [0x3b, { dynamicGas: accountGas, readsGas: false, action: codeSize }],
    [0x3f, { dynamicGas: accountGas, readsGas: false, action: codeHash }],
    [0x47, { dynamicGas: undefined, readsGas: false, action: selfBalance }],
    [0x54, { dynamicGas: sloadGas, readsGas: false, action: sload }],
    [0x55, { dynamicGas: sstoreGas, readsGas: true, action: sstore }],
  ])
}
