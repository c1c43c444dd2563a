import type { Awaitable } from '../../encoding/timeSlice.js'
import { EVMError, type ExecResult, Message } from '@ethereumjs/evm'
import { Address } from '@ethereumjs/util'
import { NO_BYTES, isEmptyRecord } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import type { ForkRules } from '../types.js'
import { delegationTarget } from '../vm/message.js'
import { priceOutOfGas } from './failure.js'
import { CALL_STIPEND } from './forkSchedule.js'
import { FrameEnvironment, loaded } from './frameEnvironment.js'
import { type RunState, interpreterResult, stackItem } from './internals.js'
import { endOf, expand, expansionGas } from './memoryGas.js'
import { COLD_ACCOUNT_GAS, type JournalOwner, WARM_READ_GAS, accessGas } from './stateOpcodes.js'
import type { SyncOpcode } from './syncOpcodes.js'
import { wordToAddress } from './words.js'

/** Yellow Paper, appendix G: cost of a value transfer, and of a new account. */
const VALUE_TRANSFER_GAS = 9_000
const NEW_ACCOUNT_GAS = 25_000
/** EIP-150: the caller retains 1/64 of the remaining gas. */
const RETAINED_SHARE = 64n
/** Maximum depth of nested frames. */
const MAX_DEPTH = 1_024
/** A step takes as long as passing on two to the power of this many logs. */
const LOG_BITS_OF_STEP = 3

/** The part of the EVM that calls need. */
export interface CallHost extends JournalOwner {
  readonly state: WorkingState
  /** Steps until the next look at the clock. */
  stepsLeft: number
  /** Runs the message of a call. */
  runInnerCall(message: Message): Awaitable<ExecResult>
}

/** The opcodes that call. */
type CallKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'

/** Stack arguments of a call. */
interface CallArguments {
  requestedGas: bigint
  /** 20 bytes. */
  target: Uint8Array
  /** Zero if the opcode has none. */
  value: bigint
  inOffset: bigint
  inLength: bigint
  outOffset: bigint
  outLength: bigint
}

function takesValue(kind: CallKind): boolean {
  return kind === 'CALL' || kind === 'CALLCODE'
}

function readArguments({ stack }: RunState, kind: CallKind): CallArguments {
  const memory = takesValue(kind) ? 3 : 2
  return {
    requestedGas: stackItem(stack, 0),
    target: wordToAddress(stackItem(stack, 1)),
    value: takesValue(kind) ? stackItem(stack, 2) : 0n,
    inOffset: stackItem(stack, memory),
    inLength: stackItem(stack, memory + 1),
    outOffset: stackItem(stack, memory + 2),
    outLength: stackItem(stack, memory + 3),
  }
}

/**
 * Creates the opcodes that call another account, for forks since Berlin (EIP-150, EIP-2929, EIP-7702), keyed by byte.
 * They replace ethereumjs' handlers and Interpreter.call, which take about twenty promises per call.
 */
export function createCallOpcodes(
  host: CallHost,
  rules: ForkRules,
): ReadonlyMap<number, Omit<SyncOpcode, 'gas'>> {
  const delegates = rules.isActivatedEIP(7702)

  function gasOf(kind: CallKind, runState: RunState): number {
    const { requestedGas, target, value, inOffset, inLength, outOffset, outLength } = readArguments(
      runState,
      kind,
    )
    const { env, gasLeft } = runState
    const isRefused = kind === 'CALL' && env.isStatic && value > 0n
    if (isRefused && delegates) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
    const access = host.frameJournal.isWarmedAddress(target) ? WARM_READ_GAS : COLD_ACCOUNT_GAS
    if (access > gasLeft) throw priceOutOfGas()
    if (isRefused) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
    const end = Math.max(endOf(inOffset, inLength), endOf(outOffset, outLength))
    let gas = access + expansionGas(runState, end)
    if (value > 0n) gas += VALUE_TRANSFER_GAS
    if (gas === Infinity) return gas
    // What cannot be paid for is not read. Before EIP-7702, geth's price function notices it only for CALL.
    if (gas > gasLeft) {
      if (delegates || kind === 'CALL') throw priceOutOfGas()
      return gas
    }
    if (value > 0n && kind === 'CALL' && isEmptyAccount(target)) gas += NEW_ACCOUNT_GAS
    if (delegates && gas > gasLeft) throw priceOutOfGas()
    const delegate = delegates ? delegationTarget(loaded(host.state.readCode(target))) : undefined
    // Everything is loaded, so nothing below runs twice.
    host.frameJournal.warmAddress(target)
    expand(runState, inOffset, inLength)
    expand(runState, outOffset, outLength)
    if (delegate !== undefined) gas += accessGas(host, delegate)
    if (delegates && gas > gasLeft) throw priceOutOfGas()
    const available = gasLeft - BigInt(gas)
    const allowed = available - available / RETAINED_SHARE
    runState.messageGasLimit = requestedGas < allowed ? requestedGas : allowed
    return gas
  }

  function isEmptyAccount(address: Uint8Array): boolean {
    const account = loaded(host.state.readAccount(address))
    return account === undefined || isEmptyRecord(account)
  }

  function balanceOf(address: Address): bigint {
    return loaded(host.state.readAccount(address.bytes))?.balance ?? 0n
  }

  function run(kind: CallKind, runState: RunState): void | Promise<void> {
    const { env, stack, memory, interpreter } = runState
    const args = readArguments(runState, kind)
    stack.popN(takesValue(kind) ? 7 : 6)
    let gasLimit = runState.messageGasLimit ?? 0n
    runState.messageGasLimit = undefined
    runState.returnBytes = NO_BYTES
    if (args.value > 0n) {
      runState.gasLeft += CALL_STIPEND
      gasLimit += CALL_STIPEND
    }
    if (env.depth >= MAX_DEPTH || balanceOf(env.address) < args.value) {
      return stack.push(0n)
    }
    const inLength = Number(args.inLength)
    const target = new Address(args.target)
    const runsInCaller = kind === 'DELEGATECALL' || kind === 'CALLCODE'
    const message = new Message({
      caller: kind === 'DELEGATECALL' ? env.caller : env.address,
      gasLimit,
      to: runsInCaller ? env.address : target,
      codeAddress: target,
      value: kind === 'DELEGATECALL' ? env.callValue : args.value,
      data: inLength === 0 ? NO_BYTES : memory.read(Number(args.inOffset), inLength, true),
      isStatic: kind === 'STATICCALL' || env.isStatic,
      delegatecall: kind === 'DELEGATECALL',
      depth: env.depth + 1,
      blobVersionedHashes: env.blobVersionedHashes,
      gasRefund: runState.gasRefund,
      selfdestruct: interpreterResult(interpreter).selfdestruct,
      createdAddresses: interpreterResult(interpreter).createdAddresses ?? new Set(),
    })
    const result = host.runInnerCall(message)
    if (result instanceof Promise) return result.then((ended) => merge(runState, ended, args))
    merge(runState, result, args)
  }

  function merge(runState: RunState, result: ExecResult, args: CallArguments): void {
    // Frames that end one after another pass on the same logs.
    host.stepsLeft -= (result.logs?.length ?? 0) >>> LOG_BITS_OF_STEP
    mergeResult(runState, result, args)
  }

  const opcode = (kind: CallKind): Omit<SyncOpcode, 'gas'> => ({
    readsGas: true,
    dynamicGas: (runState) => gasOf(kind, runState),
    action: (runState) => run(kind, runState),
  })
  return new Map([
    [0xf1, opcode('CALL')],
    [0xf2, opcode('CALLCODE')],
    [0xf4, opcode('DELEGATECALL')],
    [0xfa, opcode('STATICCALL')],
  ])
}

/** Merges the result of a call into the calling frame. */
function mergeResult(
  runState: RunState,
  { executionGasUsed, exceptionError, returnValue, gasRefund = 0n, logs = [] }: ExecResult,
  { outOffset, outLength }: CallArguments,
): void {
  const { env, stack, memory, interpreter } = runState
  runState.gasLeft -= executionGasUsed
  if (exceptionError === undefined) {
    for (const log of logs) interpreterResult(interpreter).logs.push(log)
    runState.gasRefund = gasRefund
  }
  if (exceptionError === undefined || exceptionError.error === EVMError.errorMessages.REVERT) {
    runState.returnBytes = returnValue
    const length = Math.min(returnValue.length, Number(outLength))
    if (length > 0) memory.write(Number(outOffset), length, returnValue.subarray(0, length))
  }
  if (env instanceof FrameEnvironment) env.refresh()
  stack.push(exceptionError === undefined ? 1n : 0n)
}
