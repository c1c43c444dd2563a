import { interpreterResult, interpreterRules } from '../evm/internals.js'
import { REVERTED } from '../evm/revertReason.js'
import { bigintToBytes, bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices, whenReady } from '../../encoding/timeSlice.js'
import { NO_BYTES, padTo32 } from '../state/account.js'
import type { TraceBudget } from './budget.js'
import { opcodes } from './opcodes.js'
import type { ExecutionTracer, FrameEnd, Step, TracedMessage, TracedState } from './tracer.js'

/** Options for a struct logger. */
export interface StructLogOptions {
  enableMemory?: boolean
  disableStack?: boolean
  disableStorage?: boolean
  /** Whether every step shows the slots seen so far. */
  storageOnEveryStep?: boolean
  enableReturnData?: boolean
  /** Length of text in bytes after which no more steps are shown; 0 means no limit. */
  limit?: number
}

/** A step as shown; its bytes are only valid during the call. */
export interface StructLog {
  step: Step
  /** Gas refund so far. */
  refund: bigint
  /** All words of memory. */
  memory?: Uint8Array
  /** Slots of the contract seen so far, 64 digits each; only on SLOAD and SSTORE by default. */
  storage?: ReadonlyMap<string, string>
  /** Bottom first. */
  stack?: readonly bigint[]
  /** Return data of the last call within the frame. */
  returnData?: Uint8Array
}

/** Consumes steps one by one: a trace may far exceed what fits into memory as objects. */
export interface StructLogSink {
  /**
   * @returns length of the step's text in bytes
   */
  write(log: StructLog): number
  /** Like {@link write}, in pieces: memory may be megabytes, which take tens of milliseconds. */
  writeInSteps(log: StructLog): Steps<number>
}

/** The outcome of the outermost frame. */
export interface StructLogOutcome {
  gasUsed: bigint
  failed: boolean
  /** Return or revert data; empty after any other failure. */
  returnValue: Uint8Array
}

/** Words of memory above which a step is written in pieces. */
const MANY_WORDS = 8192
/** Bytes of text after which the logger may yield to other work. */
const BYTES_BETWEEN_LOOKS = 262_144

/** Shows every opcode with its stack, and more on request (geth: eth/tracers/logger/logger.go). */
export class StructLogger implements ExecutionTracer {
  readonly #options: StructLogOptions
  readonly #sink: StructLogSink
  readonly #budget: TraceBudget
  readonly #storage = new Map<string, Map<string, string>>()
  readonly #slice = new TimeSlice()
  #state: TracedState | undefined
  #refund = 0n
  #bytes = 0
  #bytesSinceLook = 0
  #outcome: StructLogOutcome = { gasUsed: 0n, failed: false, returnValue: NO_BYTES }

  constructor(options: StructLogOptions, sink: StructLogSink, budget: TraceBudget) {
    this.#options = options
    this.#sink = sink
    this.#budget = budget
  }

  get outcome(): StructLogOutcome {
    return this.#outcome
  }

  begin({ state }: TracedMessage): void {
    this.#state = state
  }

  step(step: Step): Promise<void> | undefined {
    const { limit = 0 } = this.#options
    if (limit !== 0 && this.#bytes > limit) return undefined
    const pending = whenReady(this.#storageOf(step), (storage) => this.#write(step, storage))
    if (pending instanceof Promise) return pending
    if (this.#bytesSinceLook < BYTES_BETWEEN_LOOKS) return undefined
    this.#bytesSinceLook = 0
    return this.#slice.pause()
  }

  refund(gas: bigint): void {
    this.#refund = gas
  }

  exit({ depth, output, failure }: FrameEnd): void {
    if (depth > 0) return
    const hasOutput = failure === undefined || failure === REVERTED
    const returnValue = hasOutput ? output.slice() : NO_BYTES
    this.#outcome = { gasUsed: 0n, failed: failure !== undefined, returnValue }
  }

  end(gasUsed: bigint): void {
    this.#outcome = { ...this.#outcome, gasUsed }
  }

  #write(step: Step, storage: StructLog['storage']): Awaitable<void> {
    const { enableMemory, disableStack, enableReturnData } = this.#options
    const { runState, memoryWords } = step
    const log: StructLog = {
      step,
      refund: this.#refund + runState.gasRefund + ownRefund(step),
      ...(storage !== undefined && { storage }),
      ...(disableStack !== true && { stack: runState.stack.getStack() }),
      ...(enableMemory === true && { memory: runState.memory.read(0, memoryWords * 32, true) }),
      ...(enableReturnData === true && { returnData: runState.returnBytes }),
    }
    if (enableMemory !== true || memoryWords <= MANY_WORDS) return this.#count(this.#sink.write(log))
    return runInSlices(this.#sink.writeInSteps(log), this.#slice).then((bytes) => this.#count(bytes))
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    this.#bytesSinceLook += bytes
    this.#budget.spend(bytes)
  }

  /** Returns the known storage of the contract, including the slot that this step reads or is about to write. */
  #storageOf({ runState, failure }: Step): Awaitable<StructLog['storage']> {
    const { opCode, stack, env } = runState
    const { disableStorage, storageOnEveryStep } = this.#options
    if (disableStorage === true) return undefined
    const seen = storageOnEveryStep === true ? this.#seenOf(env.address.bytes) : undefined
    // An opcode that fails before it runs touches no storage.
    if (failure !== undefined) return seen
    if (opCode === opcodes.SSTORE && stack.length >= 2) {
      const [slot = 0n, value = 0n] = stack.peek(2)
      return this.#note(env.address.bytes, slot, value.toString(16).padStart(64, '0'))
    }
    if (opCode !== opcodes.SLOAD || stack.length === 0) return seen
    const [slot = 0n] = stack.peek(1)
    const value = this.#state?.readStorage(env.address.bytes, bigintToBytes(slot, 32)) ?? NO_BYTES
    return whenReady(value, (bytes) => this.#note(env.address.bytes, slot, bytesToPlainHex(padTo32(bytes))))
  }

  #note(address: Uint8Array, slot: bigint, value: string): ReadonlyMap<string, string> {
    return this.#seenOf(address).set(slot.toString(16).padStart(64, '0'), value)
  }

  #seenOf(address: Uint8Array): Map<string, string> {
    const key = bytesToPlainHex(address)
    const slots = this.#storage.get(key) ?? new Map<string, string>()
    this.#storage.set(key, slots)
    return slots
  }
}

/** Returns the refund of a SELFDESTRUCT, which geth adds together with the cost, before the opcode runs. */
function ownRefund({ runState, failure }: Step): bigint {
  const { opCode, env, interpreter } = runState
  if (opCode !== opcodes.SELFDESTRUCT || failure !== undefined || env.isStatic) return 0n
  const isRepeated = interpreterResult(interpreter).selfdestruct.has(bytesToHex(env.address.bytes))
  return isRepeated ? 0n : interpreterRules(interpreter).param('selfdestructRefundGas')
}
