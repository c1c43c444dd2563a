import { bigintToBytes, bytesToPlainHex } from '../../encoding/hex.js'
import { type Awaitable, nextTurn, whenReady } from '../../encoding/timeSlice.js'
import { padTo32 } from '../state/account.js'
import type { TraceBudget } from './budget.js'
import { opcodes } from './opcodes.js'
import type { ExecutionTracer, FrameEnd, Step, TracedMessage, TracedState } from './tracer.js'

/** What a struct logger shows of each step. */
export interface StructLogOptions {
  enableMemory?: boolean
  disableStack?: boolean
  disableStorage?: boolean
  /** Whether every step shows the slots that were seen so far. */
  storageOnEveryStep?: boolean
  enableReturnData?: boolean
  /** Bytes of text after which no more steps are shown; 0 is no limit. */
  limit?: number
}

/** One step as it is shown; its bytes are only lent. */
export interface StructLog {
  step: Step
  /** Gas that is to be given back so far. */
  refund: bigint
  /** Words of memory joined. */
  memory?: Uint8Array
  /** The slots of the contract that were seen so far, 64 digits to 64 digits; on SLOAD and SSTORE only unless asked for. */
  storage?: ReadonlyMap<string, string>
  /** The top last. */
  stack?: readonly bigint[]
  /** What the last call within the frame returned. */
  returnData?: Uint8Array
}

/** Takes steps as they come: a trace may be far longer than what fits into memory as objects. */
export interface StructLogSink {
  /** @returns bytes of the step's text */
  write(log: StructLog): number
}

/** How the outermost frame ended. */
export interface StructLogOutcome {
  gasUsed: bigint
  failed: boolean
  /** What was returned or reverted with; empty after any other failure. */
  returnValue: Uint8Array
}

const REVERTED = 'execution reverted'
/** After so many bytes of text, other work has its turn. */
const BYTES_IN_A_TURN = 262_144

/** Shows every opcode with its stack, and more if asked for (geth: eth/tracers/logger/logger.go). */
export class StructLogger implements ExecutionTracer {
  readonly #options: StructLogOptions
  readonly #sink: StructLogSink
  readonly #budget: TraceBudget
  readonly #storage = new Map<string, Map<string, string>>()
  #state: TracedState | undefined
  #refund = 0n
  #bytes = 0
  #turnBytes = 0
  #outcome: StructLogOutcome = { gasUsed: 0n, failed: false, returnValue: new Uint8Array(0) }

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
    if (this.#turnBytes < BYTES_IN_A_TURN) return undefined
    this.#turnBytes = 0
    return nextTurn()
  }

  refund(gas: bigint): void {
    this.#refund = gas
  }

  exit({ depth, output, failure }: FrameEnd): void {
    if (depth > 0) return
    const hasOutput = failure === undefined || failure === REVERTED
    const returnValue = hasOutput ? output.slice() : new Uint8Array(0)
    this.#outcome = { gasUsed: 0n, failed: failure !== undefined, returnValue }
  }

  end(gasUsed: bigint): void {
    this.#outcome = { ...this.#outcome, gasUsed }
  }

  #write(step: Step, storage: StructLog['storage']): void {
    const { enableMemory, disableStack, enableReturnData } = this.#options
    const { runState, memoryWords } = step
    const bytes = this.#sink.write({
      step,
      refund: this.#refund + runState.gasRefund,
      ...(storage !== undefined && { storage }),
      ...(disableStack !== true && { stack: runState.stack.getStack() }),
      ...(enableMemory === true && { memory: runState.memory.read(0, memoryWords * 32, true) }),
      ...(enableReturnData === true && { returnData: runState.returnBytes }),
    })
    this.#bytes += bytes
    this.#turnBytes += bytes
    this.#budget.spend(bytes)
  }

  /** What the contract's storage is known to hold, with what this step reads or is about to write. */
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
    const value = this.#state?.readStorage(env.address.bytes, bigintToBytes(slot, 32)) ?? new Uint8Array(0)
    return whenReady(value, (bytes) => this.#note(env.address.bytes, slot, bytesToPlainHex(padTo32(bytes))))
  }

  #note(address: Uint8Array, slot: bigint, value: string): ReadonlyMap<string, string> {
    return this.#seenOf(address).set(slot.toString(16).padStart(64, '0'), value)
  }

  #seenOf(address: Uint8Array): Map<string, string> {
    const key = bytesToPlainHex(address)
    const seen = this.#storage.get(key) ?? new Map<string, string>()
    this.#storage.set(key, seen)
    return seen
  }
}
