import { concatBytes, generateAddress } from '@ethereumjs/util'
import { bytesToPlainHex, minimalBytes } from '../../../encoding/hex.js'
import { TimeSlice, whenReady } from '../../../encoding/timeSlice.js'
import { keccak256, keccak256InSlices } from '../../crypto.js'
import { NO_BYTES, padTo32 } from '../../state/account.js'
import type { TraceBudget } from '../budget.js'
import { MAX_MEMORY_PADDING } from '../keccakPreimages.js'
import type { ExecutionTracer, FrameEnd, FrameStart, Step, TracedMessage, TracedState } from '../tracer.js'
import {
  Sandbox,
  type SandboxArgument,
  SandboxError,
  type SandboxFunctions,
  type SandboxValue,
  type StepFacts,
} from './sandbox.js'

/** Options for a tracer in JavaScript. */
export interface JavaScriptTracerOptions {
  /** An expression that evaluates to an object with the hooks. */
  program: string
  /** JSON argument of `setup`. */
  config: string
  /** Result of `op.toString()`. */
  opcodeName: (opcode: number) => string
  /** The position of the transaction; empty for a call. */
  context: { blockHash?: Uint8Array; transactionHash?: Uint8Array; transactionIndex: number }
}

/** A fact about the transaction, in the format of the prelude. */
type Fact = { number: number } | { wei: string } | { text: string } | { bytes: Uint8Array }

/** Functions of the prelude whose results are sent along with each step. */
const stepFunctions = [
  ...(['getPC', 'getGas', 'getCost', 'getDepth', 'getRefund', 'getError', 'opcode', 'opcodeName'] as const),
  ...(['stackLength', 'memoryLength'] as const),
] as const
/** Functions of the prelude whose results hold for a whole frame. */
const frameFunctions = ['getCaller', 'getAddress', 'getValue', 'getInput'] as const
/** Stack items that are sent along with each step of a program that reads the stack. */
const SENT_STACK_ITEMS = 16

/** Runs a JavaScript program on the events of an execution (geth: eth/tracers/js/goja.go). */
export class JavaScriptTracer implements ExecutionTracer {
  readonly step: NonNullable<ExecutionTracer['step']>
  readonly #options: JavaScriptTracerOptions
  readonly #budget: TraceBudget
  readonly #slice = new TimeSlice()
  readonly #facts: Record<string, Fact> = {}
  #sandbox: Sandbox | undefined
  #readsStack = false
  /** The frame of the last step that was sent. */
  #sentFrame: Step['runState']['env'] | undefined
  #hooks: ReadonlySet<string> = new Set()
  #state: TracedState | undefined
  #precompiles: ReadonlySet<string> = new Set()
  #step: Step | undefined
  /** That of the step: the frame's own counter has advanced when the opcode fails. */
  #programCounter = 0
  #stepFailure: string | undefined
  #refund = 0n
  #frame: FrameStart | undefined
  #frameEnd: FrameEnd | undefined
  #failure: string | undefined
  #result = '{}'
  /** Ends what the budget keeps of this tracer: a request may have thousands. */
  #forget = (): void => undefined

  constructor(options: JavaScriptTracerOptions, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
    this.step = (step) => this.#onStep(step)
  }

  /**
   * Result of the program's `result` as JSON, once the execution is over. As in geth, undefined and null become an
   * empty object.
   */
  get result(): string {
    return this.#result
  }

  /** Why the program has no result. */
  get failure(): string | undefined {
    return this.#failure
  }

  async begin(message: TracedMessage): Promise<void> {
    const { gasLimit, gasTip, blockNumber, coinbase, state, precompiles } = message
    const { program, config, context } = this.#options
    this.#state = state
    this.#precompiles = precompiles
    const { blockHash, transactionHash, transactionIndex } = context
    if (blockHash !== undefined) {
      this.#setFact('blockHash', blockHash)
      if (transactionHash !== undefined) {
        this.#setFact('txIndex', transactionIndex)
        this.#setFact('txHash', transactionHash)
      }
    }
    this.#setFact('block', Number(blockNumber))
    this.#setFact('gas', Number(gasLimit))
    this.#setFact('gasPrice', gasTip)
    this.#setFact('coinbase', coinbase)
    await this.#guarded(undefined, async () => {
      this.#sandbox = new Sandbox(this.#functions())
      this.#forget = this.#budget.onEnd(() => this.#close())
      this.#hooks = await this.#sandbox.start(program, config, { step: stepFunctions, frame: frameFunctions })
    })
  }

  async enter(frame: FrameStart): Promise<void> {
    const { depth, type, from, to, input, value = 0n } = frame
    if (depth > 0) {
      this.#frame = { ...frame, input: input.slice() }
      return this.#call('enter')
    }
    this.#setFact('type', type === 'CREATE' ? 'CREATE' : 'CALL')
    this.#setFact('from', from)
    this.#setFact('to', to)
    this.#setFact('input', input)
    this.#setFact('value', value)
  }

  async exit(end: FrameEnd): Promise<void> {
    const { depth, output, failure } = end
    if (depth > 0) {
      this.#frameEnd = { ...end, output: output.slice() }
      return this.#call('exit')
    }
    if (failure !== undefined) this.#setFact('error', failure)
    this.#setFact('output', output)
  }

  fault(step: Step, failure: string): Promise<void> {
    this.#step = step
    this.#stepFailure = failure
    return this.#call('fault')
  }

  refund(gas: bigint): void {
    this.#refund = gas
  }

  async end(gasUsed: bigint): Promise<void> {
    this.#setFact('gasUsed', Number(gasUsed))
    await this.#guarded('result', async (sandbox) => {
      this.#result = (await sandbox?.call('result')) ?? '{}'
    })
    this.#close()
    this.#budget.spend(this.#result.length)
  }

  #onStep(step: Step): Promise<void> | undefined {
    if (!this.#hooks.has('step') || this.#failure !== undefined) return undefined
    this.#step = step
    this.#programCounter = step.runState.programCounter
    this.#stepFailure = step.failure
    return this.#call('step')
  }

  async #call(hook: string): Promise<void> {
    if (!this.#hooks.has(hook)) return
    const pause = this.#slice.pause()
    if (pause !== undefined) await pause
    const facts = hook === 'step' || hook === 'fault' ? this.#stepFacts() : undefined
    await this.#guarded(hook, async (sandbox) => void (await sandbox?.call(hook, facts)))
  }

  /** Runs a hook; after its first failure, a program is not called again. */
  async #guarded(
    hook: string | undefined,
    work: (sandbox: Sandbox | undefined) => Promise<void>,
  ): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      await work(this.#sandbox)
    } catch (error) {
      this.#close()
      if (!(error instanceof SandboxError)) throw error
      const origin = hook === undefined ? '' : `    in server-side tracer function '${hook}'`
      this.#failure = `${error.message}${origin}`
    }
  }

  #close(): void {
    this.#sandbox?.close()
    this.#sandbox = undefined
    this.#forget()
  }

  #setFact(name: string, value: number | bigint | string | Uint8Array): void {
    if (typeof value === 'number') this.#facts[name] = { number: value }
    else if (typeof value === 'bigint') this.#facts[name] = { wei: value.toString() }
    else if (typeof value === 'string') this.#facts[name] = { text: value }
    else this.#facts[name] = { bytes: value.slice() }
  }

  /** Creates the functions that the prelude calls in this process, until the time of the trace is over. */
  #functions(): SandboxFunctions {
    const functions: SandboxFunctions = {
      context: () =>
        JSON.stringify(this.#facts, (_, value: unknown) => (value instanceof Uint8Array ? true : value)),
      contextBytes: (name) => {
        const fact = this.#facts[String(name)]
        return fact !== undefined && 'bytes' in fact ? fact.bytes : undefined
      },
      ...this.#frameFunctions(),
      ...this.#stateFunctions(),
      peek: (index) => {
        this.#readsStack = true
        return peek(this.#currentStep(), Number(index))
      },
      memorySlice: (start, end) => memorySlice(this.#currentStep(), Number(start), Number(end)),
      memoryWord: (offset) => memoryWord(this.#currentStep(), Number(offset)),
      getCaller: () => this.#currentStep().runState.env.caller.bytes,
      getAddress: () => this.#currentStep().runState.env.address.bytes,
      getValue: () => this.#currentStep().runState.env.callValue.toString(),
      getInput: () => this.#currentStep().runState.env.callData,
      toContract: (from, nonce) => generateAddress(bytes(from), minimalBytes(BigInt(Number(nonce)))),
      toContract2: async (from, salt, initcode) => {
        const hash = await keccak256InSlices(bytes(initcode))
        return keccak256(concatBytes(Uint8Array.of(0xff), bytes(from), bytes(salt), hash)).subarray(12)
      },
      isPrecompiled: (address) => this.#precompiles.has(bytesToPlainHex(bytes(address))),
    }
    return Object.fromEntries(
      Object.entries(functions).map(([name, work]) => [
        name,
        (...parameters) => {
          this.#budget.checkTime()
          return work(...parameters)
        },
      ]),
    )
  }

  #currentStep(): Step {
    if (this.#step === undefined) throw new TypeError('no opcode runs')
    return this.#step
  }

  #stepFacts(): StepFacts {
    const { runState, gas, cost, memoryWords } = this.#currentStep()
    const { env, stack } = runState
    const results: Record<(typeof stepFunctions)[number], SandboxValue> = {
      getPC: this.#programCounter,
      getGas: Number(gas),
      getCost: Number(cost),
      getDepth: env.depth + 1,
      getRefund: Number(this.#refund + runState.gasRefund),
      getError: this.#stepFailure,
      opcode: runState.opCode,
      opcodeName: this.#options.opcodeName(runState.opCode),
      stackLength: stack.length,
      memoryLength: memoryWords * 32,
    }
    const isNewFrame = env !== this.#sentFrame
    this.#sentFrame = env
    return {
      results,
      stack: this.#readsStack ? stack.peek(Math.min(stack.length, SENT_STACK_ITEMS)) : [],
      isNewFrame,
    }
  }

  #frameFunctions(): SandboxFunctions {
    return {
      frameType: () => this.#frame?.type,
      frameFrom: () => this.#frame?.from,
      frameTo: () => this.#frame?.to,
      frameInput: () => this.#frame?.input,
      frameGas: () => Number(this.#frame?.gas ?? 0n),
      frameValue: () => this.#frame?.value?.toString(),
      frameGasUsed: () => Number(this.#frameEnd?.gasUsed ?? 0n),
      frameOutput: () => this.#frameEnd?.output ?? NO_BYTES,
      frameError: () => this.#frameEnd?.failure,
    }
  }

  #stateFunctions(): SandboxFunctions {
    const account = (
      address: SandboxArgument | undefined,
    ): ReturnType<TracedState['readAccount']> | undefined => this.#state?.readAccount(bytes(address))
    return {
      readBalance: (address) => whenReady(account(address), (found) => (found?.balance ?? 0n).toString()),
      readNonce: (address) => whenReady(account(address), (found) => Number(found?.nonce ?? 0n)),
      readExists: (address) => whenReady(account(address), (found) => found !== undefined),
      readCode: (address) => this.#state?.readCode(bytes(address)),
      readStorage: (address, slot) =>
        whenReady(this.#state?.readStorage(bytes(address), bytes(slot)), (value) =>
          padTo32(value ?? NO_BYTES),
        ),
    }
  }
}

function bytes(argument: SandboxArgument | undefined): Uint8Array {
  return argument instanceof Uint8Array ? argument : NO_BYTES
}

/** Returns a stack item, counted from the top, in decimal. */
function peek({ runState: { stack } }: Step, index: number): string {
  if (index < 0 || index >= stack.length) {
    throw new SandboxError(`tracer accessed out of bound stack: size ${stack.length}, index ${index}`)
  }
  return String(stack.peek(index + 1).at(-1))
}

/** Returns bytes of a frame's memory, padded with zeros (geth: eth/tracers/internal/util.go). */
function memorySlice({ runState, memoryWords }: Step, start: number, end: number): Uint8Array {
  if (start === end) return NO_BYTES
  if (end < start || start < 0) {
    throw new SandboxError(`tracer accessed out of bound memory: offset ${start}, end ${end}`)
  }
  const size = memoryWords * 32
  if (end - size > MAX_MEMORY_PADDING) {
    throw new SandboxError(`reached limit for padding memory slice: ${end - size}`)
  }
  const result = new Uint8Array(end - start)
  if (start < size) result.set(runState.memory.read(start, Math.min(end, size) - start, true))
  return result
}

function memoryWord(step: Step, offset: number): string {
  const size = step.memoryWords * 32
  if (offset < 0 || size < offset + 32) {
    throw new SandboxError(
      `tracer accessed out of bound memory: available ${size}, offset ${offset}, size 32`,
    )
  }
  return BigInt(`0x${bytesToPlainHex(memorySlice(step, offset, offset + 32))}`).toString()
}
