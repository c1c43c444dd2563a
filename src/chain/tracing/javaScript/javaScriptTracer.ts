import { generateAddress, generateAddress2 } from '@ethereumjs/util'
import { bytesToPlainHex, minimalBytes } from '../../../encoding/hex.js'
import { TimeSlice, whenReady } from '../../../encoding/timeSlice.js'
import { padTo32 } from '../../state/account.js'
import type { TraceBudget } from '../budget.js'
import type { ExecutionTracer, FrameEnd, FrameStart, Step, TracedMessage, TracedState } from '../tracer.js'
import { Sandbox, type SandboxArgument, SandboxError, type SandboxFunctions } from './sandbox.js'

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

const NO_BYTES = new Uint8Array(0)

/** Runs a JavaScript program on the events of an execution (geth: eth/tracers/js/goja.go). */
export class JavaScriptTracer implements ExecutionTracer {
  readonly step: NonNullable<ExecutionTracer['step']>
  readonly #options: JavaScriptTracerOptions
  readonly #budget: TraceBudget
  readonly #slice = new TimeSlice()
  readonly #facts: Record<string, Fact> = {}
  #sandbox: Sandbox | undefined
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

  constructor(options: JavaScriptTracerOptions, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
    this.step = (step) => this.#onStep(step)
  }

  /**
   * Result of the program's `result` as JSON, once the execution is over. As in geth, undefined becomes an empty
   * object.
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
      this.#sandbox = await Sandbox.create(this.#functions())
      this.#hooks = await this.#sandbox.start(program, config)
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
    this.#budget.spend(this.#result.length)
    this.#sandbox = undefined
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
    await this.#guarded(hook, async (sandbox) => void (await sandbox?.call(hook)))
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
      if (!(error instanceof SandboxError)) throw error
      const origin = hook === undefined ? '' : `    in server-side tracer function '${hook}'`
      this.#failure = `${error.message}${origin}`
    }
  }

  #setFact(name: string, value: number | bigint | string | Uint8Array): void {
    if (typeof value === 'number') this.#facts[name] = { number: value }
    else if (typeof value === 'bigint') this.#facts[name] = { wei: value.toString() }
    else if (typeof value === 'string') this.#facts[name] = { text: value }
    else this.#facts[name] = { bytes: value.slice() }
  }

  /** Creates the functions that the prelude calls in this process. */
  #functions(): SandboxFunctions {
    return {
      context: () => JSON.stringify(this.#facts, (_, value) => (value instanceof Uint8Array ? {} : value)),
      contextBytes: (name) => {
        const fact = this.#facts[String(name)]
        return fact !== undefined && 'bytes' in fact ? fact.bytes : undefined
      },
      ...this.#stepFunctions(),
      ...this.#frameFunctions(),
      ...this.#stateFunctions(),
      toContract: (from, nonce) => generateAddress(bytes(from), minimalBytes(BigInt(Number(nonce)))),
      toContract2: (from, salt, initcode) => generateAddress2(bytes(from), bytes(salt), bytes(initcode)),
      isPrecompiled: (address) => this.#precompiles.has(bytesToPlainHex(bytes(address))),
    }
  }

  #stepFunctions(): SandboxFunctions {
    const step = (): Step => {
      if (this.#step === undefined) throw new TypeError('no opcode runs')
      return this.#step
    }
    return {
      getPC: () => this.#programCounter,
      getGas: () => Number(step().gas),
      getCost: () => Number(step().cost),
      getDepth: () => step().runState.env.depth + 1,
      getRefund: () => Number(this.#refund + step().runState.gasRefund),
      getError: () => this.#stepFailure,
      opcode: () => step().runState.opCode,
      opcodeName: () => this.#options.opcodeName(step().runState.opCode),
      peek: (index) => peek(step(), Number(index)),
      stackLength: () => step().runState.stack.length,
      memorySlice: (start, end) => memorySlice(step(), Number(start), Number(end)),
      memoryWord: (offset) => memoryWord(step(), Number(offset)),
      memoryLength: () => step().memoryWords * 32,
      getCaller: () => step().runState.env.caller.bytes,
      getAddress: () => step().runState.env.address.bytes,
      getValue: () => step().runState.env.callValue.toString(),
      getInput: () => step().runState.env.callData,
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

/** Maximum zero padding of a memory slice. */
const MAX_MEMORY_PADDING = 1024 * 1024

function memoryWord(step: Step, offset: number): string {
  const size = step.memoryWords * 32
  if (offset < 0 || size < offset + 32) {
    throw new SandboxError(
      `tracer accessed out of bound memory: available ${size}, offset ${offset}, size 32`,
    )
  }
  return BigInt(`0x${bytesToPlainHex(memorySlice(step, offset, offset + 32))}`).toString()
}
