import { EVMError } from '@ethereumjs/evm'
import { Address, generateAddress } from '@ethereumjs/util'
import { bigintToBytes, minimalBytes } from '../../encoding/hex.js'
import { create2Address } from '../crypto.js'
import { type FrameFailure, NONCE_OVERFLOW, constantGas, describeFailure } from '../evm/failure.js'
import { CONSIDERABLE_GAS, StateNotLoaded } from '../evm/frameEnvironment.js'
import { type OpcodeEntry, type RunState, interpreterResult } from '../evm/internals.js'
import type { DynamicGas } from '../evm/memoryGas.js'
import type { SyncOpcode } from '../evm/syncOpcodes.js'
import { wordToAddress } from '../evm/words.js'
import { MAX_NONCE, NO_BYTES } from '../state/account.js'
import type { ForkRules } from '../types.js'
import { callTypes, callsWithValue, createTypes, framingOpcodes, opcodes } from './opcodes.js'
import type { ExecutionTracer, FrameStart, Step } from './tracer.js'

/** How an opcode of the fork runs: as a synchronous one, or as the library's entry. */
export interface TracedOpcode {
  entry: OpcodeEntry
  sync: SyncOpcode | undefined
}

/** What a traced opcode needs of its execution. */
export interface TracedStepHost {
  tracer: ExecutionTracer
  /** As in FrameHost. */
  room(): Promise<void> | undefined
}

/**
 * Runs one opcode, and reports to a tracer: the opcode once its cost is known, then effects that are not messages of
 * their own.
 */
export async function runTracedStep(
  runState: RunState,
  traced: TracedOpcode,
  rules: ForkRules,
  { tracer, room }: TracedStepHost,
): Promise<void> {
  const { entry } = traced
  const opcode = runState.opCode
  const step = await priceStep(runState, traced, rules, tracer)
  const pending = tracer.step?.(step)
  if (pending !== undefined) await pending
  const charged = callTypes.has(opcode) ? step.cost - (runState.messageGasLimit ?? 0n) : step.cost
  if (charged > CONSIDERABLE_GAS) await room()
  runState.gasLeft -= charged
  runState.programCounter++
  if (opcode === opcodes.SELFDESTRUCT) await reportSelfDestruct(runState, tracer)
  else if (framingOpcodes[opcode] === 1) await reportFailedFrame(runState, rules, tracer)
  try {
    if (entry.opcodeInfo.isInvalid) throw new EVMError(EVMError.errorMessages.INVALID_OPCODE)
    const running: unknown = actionOf(traced, opcode)(runState, rules)
    if (running instanceof Promise) await running
  } catch (error) {
    if (!isFault(error)) throw error
    const failure = describeFailure(error, runState, { entry, rules, gasLeft: step.gas })
    await tracer.fault?.(step, failure.message)
    throw failure
  }
  if (opcode >= opcodes.LOG0 && opcode <= opcodes.LOG4) reportLog(runState, tracer)
}

/**
 * Returns the action of an opcode. For those that start or end a frame it is the library's, which passes frames by the
 * tracer and tells a STOP from the end of the code.
 */
function actionOf({ entry, sync }: TracedOpcode, opcode: number): SyncOpcode['action'] {
  const isPlain = opcode !== opcodes.STOP && opcode !== opcodes.RETURN && !callTypes.has(opcode)
  return isPlain && sync !== undefined ? sync.action : entry.opHandler
}

/** Whether an opcode ended its frame with a failure; STOP, RETURN and SELFDESTRUCT end it, too. */
function isFault(error: unknown): error is EVMError {
  return error instanceof EVMError && error.error !== EVMError.errorMessages.STOP
}

/** Reports an opcode that cannot run because of a stack underflow or overflow. */
export async function reportStackError(
  runState: RunState,
  entry: OpcodeEntry,
  { message }: FrameFailure,
  { tracer, rules }: { tracer: ExecutionTracer; rules: ForkRules },
): Promise<void> {
  const step = startStep(runState, constantGas(entry, rules))
  await tracer.step?.({ ...step, failure: message })
}

/** Reports the end of the code, which stops the frame like a STOP. */
export async function reportEnd(runState: RunState, tracer: ExecutionTracer): Promise<void> {
  runState.opCode = 0
  await tracer.step?.(startStep(runState, 0n))
}

function startStep(runState: RunState, cost: bigint): Step {
  return { runState, gas: runState.gasLeft, cost, memoryWords: Number(runState.memoryWordCount) }
}

/** Computes the cost of an opcode. A step that cannot be paid is reported, and then fails. */
async function priceStep(
  runState: RunState,
  { entry, sync }: TracedOpcode,
  rules: ForkRules,
  tracer: ExecutionTracer,
): Promise<Step> {
  const { opcodeInfo, gasHandler } = entry
  const step = startStep(runState, opcodeInfo.feeBigInt)
  let isPriced = false
  try {
    if (sync?.dynamicGas !== undefined) step.cost += await dynamicGasOf(sync.dynamicGas, runState)
    else if (opcodeInfo.dynamicGas) step.cost = await gasHandler(runState, step.cost, rules)
    isPriced = true
    if (step.cost > runState.gasLeft) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
  } catch (error) {
    if (!(error instanceof EVMError)) throw error
    const failure = describeFailure(error, runState, { entry, rules, gasLeft: runState.gasLeft })
    const constant = constantGas(entry, rules)
    // geth charges the constant part separately, and shows only that if the price computation fails.
    const showsConstant = !isPriced || runState.gasLeft < constant || failure.message !== 'out of gas'
    if (showsConstant) step.cost = constant
    await tracer.step?.({ ...step, failure: failure.message })
    runState.gasLeft = 0n
    throw failure
  }
  if (callTypes.has(runState.opCode)) step.cost += runState.messageGasLimit ?? 0n
  if (createTypes.has(runState.opCode)) step.creationGas = creationGas(runState.gasLeft - step.cost, rules)
  return step
}

/** Returns how much of the remaining gas a creation gets: all, or since EIP-150 all but 1/64. */
function creationGas(remaining: bigint, rules: ForkRules): bigint {
  return rules.gteHardfork('tangerineWhistle') ? remaining - remaining / 64n : remaining
}

/**
 * Computes an opcode's gas beyond its static gas, once the state that it depends on is loaded.
 *
 * @throws EVMError if it exceeds any available gas
 */
async function dynamicGasOf(dynamicGas: DynamicGas, runState: RunState): Promise<bigint> {
  for (;;) {
    try {
      const gas = dynamicGas(runState)
      if (Number.isFinite(gas)) return BigInt(gas)
      throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
    } catch (error) {
      if (!(error instanceof StateNotLoaded)) throw error
      await error.arrival
    }
  }
}

/**
 * Reports a SELFDESTRUCT as a frame that transfers the balance, like geth (core/vm/instructions.go, opSelfdestruct).
 */
async function reportSelfDestruct(
  { stack, env, stateManager }: RunState,
  tracer: ExecutionTracer,
): Promise<void> {
  const [beneficiary = 0n] = stack.peek(1)
  const account = await stateManager.getAccount(new Address(env.address.bytes))
  const depth = env.depth + 1
  await tracer.enter?.({
    type: 'SELFDESTRUCT',
    depth,
    from: env.address.bytes,
    to: wordToAddress(beneficiary),
    input: NO_BYTES,
    gas: 0n,
    value: account?.balance ?? 0n,
  })
  await tracer.exit?.({ depth, output: NO_BYTES, gasUsed: 0n })
}

function reportLog({ interpreter }: RunState, tracer: ExecutionTracer): void {
  const log = interpreterResult(interpreter).logs.at(-1)
  if (log === undefined) return
  const [address, topics, data] = log
  tracer.log?.({ address, topics, data })
}

/**
 * Reports a call or creation that fails before it starts, because of its depth, its value or its nonce. The EVM makes
 * no message for it, but geth shows a frame (core/vm/evm.go, Call and create).
 */
async function reportFailedFrame(
  runState: RunState,
  rules: ForkRules,
  tracer: ExecutionTracer,
): Promise<void> {
  const { opCode: opcode, stack, env } = runState
  const isCreation = createTypes.has(opcode)
  if (!isCreation && !callTypes.has(opcode)) return
  const value = valueOf(opcode, stack.peek(Math.min(stack.length, 3)))
  const failure = failureOf(
    { depth: env.depth, balance: env.contract.balance, value, isCreation },
    rules,
    env.contract.nonce,
  )
  if (failure === undefined || tracer.enter === undefined) return
  const frame = isCreation ? creation(runState) : call(runState, rules, value)
  await tracer.enter(frame)
  await tracer.exit?.({ depth: frame.depth, output: NO_BYTES, gasUsed: 0n, failure })
}

function valueOf(opcode: number, top: readonly bigint[]): bigint {
  if (createTypes.has(opcode)) return top[0] ?? 0n
  return callsWithValue(opcode) ? (top[2] ?? 0n) : 0n
}

interface Attempt {
  depth: number
  balance: bigint
  value: bigint
  isCreation: boolean
}

function failureOf(
  { depth, balance, value, isCreation }: Attempt,
  rules: ForkRules,
  nonce: bigint,
): string | undefined {
  if (depth >= Number(rules.param('stackLimit'))) return 'max call depth exceeded'
  if (balance < value) return 'insufficient balance for transfer'
  return isCreation && nonce >= MAX_NONCE ? NONCE_OVERFLOW : undefined
}

function call(
  { opCode, stack, env, memory, messageGasLimit = 0n }: RunState,
  rules: ForkRules,
  value: bigint,
): FrameStart {
  const withValue = callsWithValue(opCode)
  const [, to = 0n, ...rest] = stack.peek(withValue ? 5 : 4)
  const [offset = 0n, length = 0n] = withValue ? rest.slice(1) : rest
  const type = callTypes.get(opCode) ?? 'CALL'
  const inherited = type === 'DELEGATECALL' ? env.callValue : value
  return {
    type,
    depth: env.depth + 1,
    from: env.address.bytes,
    to: wordToAddress(to),
    input: memory.read(Number(offset), Number(length)),
    gas: value > 0n ? messageGasLimit + rules.param('callStipendGas') : messageGasLimit,
    ...(type === 'STATICCALL' ? {} : { value: inherited }),
  }
}

function creation({ opCode, stack, env, memory, messageGasLimit = 0n }: RunState): FrameStart {
  const [value = 0n, offset = 0n, length = 0n, salt = 0n] = stack.peek(opCode === opcodes.CREATE2 ? 4 : 3)
  const input = memory.read(Number(offset), Number(length))
  const from = env.address.bytes
  const type = createTypes.get(opCode) ?? 'CREATE'
  return {
    type,
    depth: env.depth + 1,
    from,
    to:
      type === 'CREATE2'
        ? create2Address(from, bigintToBytes(salt, 32), input)
        : generateAddress(from, minimalBytes(env.contract.nonce)),
    input,
    gas: messageGasLimit,
    value,
  }
}
