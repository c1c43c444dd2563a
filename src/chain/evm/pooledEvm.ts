import type { StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMMockBlockchain,
  type EVMOpts,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
  type Message,
  type PrecompileFunc,
} from '@ethereumjs/evm'
import { type Account, Address, createZeroAddress } from '@ethereumjs/util'
import { type VM, createVM } from '@ethereumjs/vm'
import { type Awaitable, TimeSlice, runWithin, whenReady } from '../../encoding/timeSlice.js'
import { type ConsoleListener, isConsole } from '../calls/callObject.js'
import { create2Address } from '../crypto.js'
import { withOutcome } from '../crypto/outcome.js'
import { ClientGoneError } from '../errors.js'
import { MAX_NONCE, NO_BYTES } from '../state/account.js'
import type { WorkingState } from '../state/workingState.js'
import { TraceFeed } from '../tracing/traceFeed.js'
import type { ExecutionTracer } from '../tracing/tracer.js'
import type { ForkRules } from '../types.js'
import type { BlockEnvironment, ExecutionContext, Requester } from '../vm/blockEnvironment.js'
import { BLAKE2_INPUT_LENGTH, blake2Compress, roundsOf } from './blake2.js'
import {
  HashLookup,
  type MessageCollections,
  TransientStorage,
  findCode,
  frameResult,
  outermostMessage,
  runCallMessage,
} from './callMessage.js'
import { badPointMessage, isBadPoint } from './badPoint.js'
import { bls, bn254 } from './curves.js'
import {
  type Deployment,
  FrameFailure,
  describePrecompileFailure,
  nonceOverflow,
  outOfGas,
} from './failure.js'
import { ForkEvm } from './forkEvm.js'
import { ForkPrecompiles, type PrecompileMap } from './forkPrecompiles.js'
import { FrameEnvironment, HeldMemory, noState } from './frameEnvironment.js'
import type { FrameHost, FrameInterpreter, FrameInterpreterConstructor } from './frameInterpreter.js'
import { FrameJournal } from './frameJournal.js'
import { type RunState, checkLibraryJournal, useState } from './internals.js'
import { loadFrameInterpreter } from './interpreter.js'
import type { PeakGas } from './peakGas.js'
import { createPlainGas } from './plainLoop.js'
import { createSyncOpcodes } from './syncOpcodes.js'

/** Opcodes between two looks at the clock. */
const STEPS_BETWEEN_LOOKS = 2048
/** Maximum number of a message's logs that runTx may hash, in a millisecond or two. */
const MAX_HASHED_LOGS = 512

/**
 * An EVM reused between executions, because creating one costs far more than a small call.
 *
 * While bound, it works on its context; once released, it remembers nothing of it.
 */
export class PooledEvm extends ForkEvm implements FrameHost {
  readonly syncOpcodes: FrameHost['syncOpcodes']
  readonly plainGas: Uint8Array
  stepsLeft = STEPS_BETWEEN_LOOKS
  /** As in {@link FrameHost}. */
  observe: ((opcode: number, runState: RunState) => void) | undefined
  /** Measures the minimum gas of the next messages. */
  peakGas: PeakGas | undefined
  /** What the initcode of the last creation returned and left. */
  deployment: Deployment = { code: NO_BYTES, gasLeft: 0n }
  #feed: TraceFeed | undefined
  #block: BlockEnvironment | undefined
  #onConsole: ConsoleListener | undefined
  #requester: Requester | undefined
  readonly #held = new HeldMemory()
  readonly #transient = new TransientStorage()
  /** Undefined until this execution first looks at the clock. */
  #slice: TimeSlice | undefined
  readonly #hashes = new HashLookup()
  #state: WorkingState | undefined
  /** Interpreters of ended frames, for reuse. */
  readonly #interpreters: FrameInterpreter[] = []
  #vm: VM | undefined
  #manyLogs: ExecResult['logs']
  #collections: MessageCollections = { selfdestruct: new Map(), createdAddresses: new Set() }
  readonly #Interpreter: FrameInterpreterConstructor
  readonly #fork: ForkPrecompiles
  /** Warm and touched accounts and slots; the library uses it as its own journal. */
  readonly frameJournal: FrameJournal

  /** Creates an EVM with these rules. */
  static async create(rules: ForkRules): Promise<PooledEvm> {
    const options = {
      common: rules,
      blockchain: new EVMMockBlockchain(),
      bls,
      bn254,
      stateManager: noState,
    }
    const evm = new PooledEvm(options, await loadFrameInterpreter(() => new EVM(options)), rules)
    evm.#vm = await createVM({ common: rules, evm, stateManager: noState, blockchain: evm.blockchain })
    return evm
  }

  private constructor(options: EVMOpts, Interpreter: FrameInterpreterConstructor, rules: ForkRules) {
    super(options)
    this.#Interpreter = Interpreter
    this.syncOpcodes = createSyncOpcodes(this._opcodeMap, this.common, this)
    this.plainGas = createPlainGas(this._opcodeMap)
    this.#fork = new ForkPrecompiles(this._precompiles, rules)
    this.frameJournal = new FrameJournal(this, this.forkPrecompiles)
    checkLibraryJournal(this.journal, this.frameJournal)
    // The library's classes have private members, so nothing else is assignable.
    Reflect.set(this, 'journal', this.frameJournal)
    Reflect.set(this, 'transientStorage', this.#transient)
  }

  get opcodeTable(): FrameHost['opcodeTable'] {
    return this._opcodeMap
  }

  get traced(): boolean {
    return this.events.listenerCount('step') > 0
  }

  get feed(): TraceFeed | undefined {
    return this.#feed
  }

  /** Reports the next messages to a tracer; undefined stops that. */
  trace(tracer: ExecutionTracer | undefined): void {
    this.#feed = tracer && new TraceFeed(tracer, this)
  }

  /** The state of the current context. */
  get state(): WorkingState {
    if (this.#state === undefined) throw new Error('this EVM is not in use')
    return this.#state
  }

  /** The block of the current context. */
  get block(): BlockEnvironment {
    if (this.#block === undefined) throw new Error('this EVM is not in use')
    return this.#block
  }

  /** Sets the block that the next messages run in. */
  set block(block: BlockEnvironment) {
    this.#block = block
  }

  /** Addresses of the fork's precompiles, before any overrides: 40 lower-case hexadecimal digits each. */
  get forkPrecompiles(): readonly string[] {
    return this.#fork.addresses
  }

  /** Returns the VM around this EVM, which runs transactions on a state. */
  vmOver(state: StateManagerInterface): VM {
    const vm = this.#vm
    if (vm === undefined) throw new Error('this EVM has no virtual machine yet')
    useState(vm, state)
    return vm
  }

  /** The fork's precompiles, which are all warm in a transaction, before any overrides. */
  override get precompiles(): PrecompileMap {
    return this.#fork?.map ?? this._precompiles
  }

  override getPrecompile(address: Address | string): PrecompileFunc | undefined {
    const digits = typeof address === 'string' ? address.slice(2) : address.toString().slice(2)
    return this._precompiles.get(digits.padStart(40, '0').toLowerCase())
  }

  /** Replaces the precompiles until {@link release}. */
  usePrecompiles(precompiles: PrecompileMap): void {
    this._precompiles = precompiles
  }

  /** Returns the current precompile at a 20-byte address, if any. */
  findPrecompile(address: Uint8Array): PrecompileFunc | undefined {
    return this.#fork.findIn(this._precompiles, address)
  }

  /** Binds this EVM to a context. */
  bind({ state, block, blockHash, onConsole, requester }: ExecutionContext): void {
    this.#onConsole = onConsole
    this.#requester = requester
    this.#state = state
    this.stateManager = state
    this.#hashes.find = blockHash
    this.blockchain = this.#hashes
    this.#block = block
    this.#slice = undefined
  }

  /** Unbinds the context. */
  release(): void {
    this.#state = undefined
    this.stateManager = noState
    this.vmOver(noState)
    this.journal.cleanJournal()
    this.#hashes.forget()
    if (this.traced) this.events.removeAllListeners()
    this._precompiles = this.#fork.map
    this.observe = undefined
    this.peakGas = undefined
    this.#feed = undefined
    this.#manyLogs = undefined
    this.#block = undefined
    this.#onConsole = undefined
    this.#requester = undefined
    // An execution that was broken off has left its frames open.
    this.#held.clear()
  }

  /** @throws ClientGoneError if nobody waits for the result any more */
  pause(): Promise<void> | undefined {
    this.stepsLeft = STEPS_BETWEEN_LOOKS
    this.#feed?.tracer.tick?.()
    this.#slice ??= new TimeSlice()
    const pause = this.#slice.pause()
    if (pause !== undefined && this.#requester?.signal?.aborted === true) throw new ClientGoneError()
    return this.room() ?? pause
  }

  room(): Promise<void> | undefined {
    return this.#requester && this.#held.claimFor(this.#requester, this.state.known + this.#transient.size)
  }

  override runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const feed = this.#feed
    return feed === undefined ? this.#runCall(options) : feed.run(options, () => this.#runCall(options))
  }

  async #runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const { message, to } = options
    if (message !== undefined) {
      this.#beforeInner(message)
      return this.#afterInner(message, await super.runCall(options))
    }
    if (to === undefined && (await this.#undoNonceOverflow(options))) return { execResult: nonceOverflow() }
    // Opcodes see the context's block; the one passed to runTx lacks the fees that a call need not pay.
    const result =
      to === undefined || this.#isWatched
        ? await super.runCall({ ...options, block: this.block })
        : { execResult: await this.#runOutermost(options, to) }
    const { logs = [] } = result.execResult
    this.#manyLogs = logs.length > MAX_HASHED_LOGS ? logs : undefined
    if (this.#manyLogs === undefined) return result
    return { ...result, execResult: { ...result.execResult, logs: [] } }
  }

  /** Unlike in the library, where a transfer fails instead, a balance wraps at 256 bits, as in geth. */
  protected override async _addToBalance(
    payee: Account,
    { to, value }: Message & { to: Address },
  ): Promise<void> {
    payee.balance = BigInt.asUintN(256, payee.balance + value)
    await this.journal.putAccount(to, payee)
  }

  /** Called several times for a creation. */
  protected override async _generateAddress(message: Message): Promise<Address> {
    const { caller, salt, code } = message
    if (salt === undefined) return super._generateAddress(message)
    return new Address(create2Address(caller.bytes, salt, code as Uint8Array))
  }

  /** Whether runTx has incremented the highest nonce of a creation's sender to zero, which this undoes. */
  async #undoNonceOverflow({ caller }: EVMRunCallOpts): Promise<boolean> {
    if (caller === undefined) return false
    const account = await this.stateManager.getAccount(caller)
    if (account?.nonce !== 0n) return false
    account.nonce = MAX_NONCE
    await this.journal.putAccount(caller, account)
    return true
  }

  /**
   * Returns the logs of the last outermost message if there were too many for runTx, which hashes all addresses and
   * topics in one go. The result of runTx then lacks them.
   */
  takeExcessLogs(): ExecResult['logs'] {
    const logs = this.#manyLogs
    this.#manyLogs = undefined
    return logs
  }

  /**
   * Runs an outermost message. A call is free of promises where the state is loaded; anything else goes to `runCall`.
   */
  runOutermost(options: EVMRunCallOpts): Awaitable<EVMResult> {
    const { to } = options
    if (to === undefined || this.#isWatched) return this.runCall(options)
    return whenReady(this.#runOutermost(options, to), (execResult) => ({ execResult }))
  }

  /** Whether the library must run outermost messages: a tracer listens, or the fork is before Berlin. */
  get #isWatched(): boolean {
    return this.#feed !== undefined || this.traced || !this.common.isActivatedEIP(2929)
  }

  /** Runs an outermost call of an account, set up like the library does. */
  #runOutermost(options: EVMRunCallOpts, to: Address): Awaitable<ExecResult> {
    const { caller = createZeroAddress(), gasPrice = 0n } = options
    this._block = this.block
    this._tx = { gasPrice, origin: options.origin ?? caller }
    const message = outermostMessage(options, caller, to, this.#emptyCollections())
    return whenReady(runCallMessage(this, message), (result) => {
      this.transientStorage.clear()
      result.selfdestruct = message.selfdestruct
      result.createdAddresses = message.createdAddresses
      return result
    })
  }

  /** Returns the collections of the last message, or new ones if it left anything in them, which is rare. */
  #emptyCollections(): MessageCollections {
    const { selfdestruct, createdAddresses } = this.#collections
    if (selfdestruct.size + createdAddresses.size > 0) {
      this.#collections = { selfdestruct: new Map(), createdAddresses: new Set() }
    }
    return this.#collections
  }

  runInnerCall(message: Message): Awaitable<ExecResult> {
    this.#beforeInner(message)
    return whenReady(runCallMessage(this, message), (execResult) => {
      this.#afterInner(message, { execResult })
      return execResult
    })
  }

  #beforeInner({ to, data }: Message): void {
    if (this.#onConsole !== undefined && to !== undefined && isConsole(to.bytes))
      this.#onConsole(data.slice())
    this.peakGas?.beginMessage()
  }

  #afterInner({ to, value, delegatecall }: Message, result: EVMResult): EVMResult {
    this.peakGas?.endMessage(result.execResult.executionGasUsed, {
      withStipend: to !== undefined && value > 0n && !delegatecall,
    })
    return result
  }

  /** Called by the library for creations and while a tracer listens. */
  protected override async runInterpreter(message: Message & { isCreate?: boolean }): Promise<ExecResult> {
    return this.runFrame(message)
  }

  runFrame(message: Message & { isCreate?: boolean }): Awaitable<ExecResult> {
    const interpreter = this.#beginFrame(message)
    const leave = this.#held.enter(interpreter)
    this.peakGas?.enter(interpreter.runState)
    return whenReady(interpreter.execute(this), (failure) => {
      leave()
      const { gasLeft } = interpreter.runState
      this.peakGas?.leave(message.gasLimit - gasLeft)
      const result = frameResult(interpreter, message.gasLimit, failure)
      if (message.isCreate === true) this.deployment = { code: result.returnValue, gasLeft }
      interpreter.end()
      this.#interpreters.push(interpreter)
      return result
    })
  }

  #beginFrame(message: Message & { isCreate?: boolean }): FrameInterpreter {
    const context = { transaction: this._tx, block: this._block ?? this.block, state: this.state }
    const environment = new FrameEnvironment(message, context)
    const { stateManager: state, blockchain, journal, performanceLogger } = this
    const interpreter =
      this.#interpreters.pop() ??
      new this.#Interpreter(this, state, blockchain, environment, 0n, journal, performanceLogger)
    interpreter.begin({
      environment,
      gasLimit: message.gasLimit,
      state,
      blockchain,
      selfdestruct: message.selfdestruct ?? new Map(),
      createdAddresses: message.createdAddresses ?? new Set(),
    })
    return interpreter
  }

  /**
   * Called by the library while it runs messages. Its own takes every code that begins like a delegation (EIP-7702) for
   * one.
   */
  protected override async _loadCode(message: Message): Promise<void> {
    message.code ??= await findCode(this, message)
    message.isCompiled = typeof message.code === 'function'
  }

  callPrecompile(code: PrecompileFunc, { data, gasLimit }: Message): Awaitable<ExecResult> {
    return this.runPrecompile(code, data, gasLimit)
  }

  protected override runPrecompile(
    code: PrecompileFunc,
    data: Uint8Array,
    gasLimit: bigint,
  ): Promise<ExecResult> | ExecResult {
    // A precompile may take as long as thousands of opcodes, so the next opcode looks at the clock.
    this.stepsLeft = 0
    if (this.#fork.isBlake2(code)) return this.#runBlake2(code, data, gasLimit)
    return whenReady(this.#fork.prepare(code, data, gasLimit), (outcome) => {
      const running = withOutcome(outcome, () => super.runPrecompile(code, data, gasLimit))
      return whenReady(running, (result) => this.#described(code, data, result))
    })
  }

  /** Adds geth's message to the result of a failed precompile. */
  #described(code: PrecompileFunc, data: Uint8Array, result: ExecResult): Awaitable<ExecResult> {
    const { exceptionError } = result
    if (exceptionError === undefined) return result
    const number = this.#fork.numberOf(code)
    if (!isBadPoint(exceptionError)) {
      return { ...result, exceptionError: describePrecompileFailure(exceptionError, data, number) }
    }
    return whenReady(runWithin(badPointMessage(number, data), new TimeSlice()), (message) => ({
      ...result,
      exceptionError:
        message === undefined ? exceptionError : new FrameFailure(exceptionError.error, message),
    }))
  }

  /** Yields to other work unless the run is short. The library finds what is wrong with the input. */
  #runBlake2(code: PrecompileFunc, data: Uint8Array, gasLimit: bigint): Awaitable<ExecResult> {
    if (data.length !== BLAKE2_INPUT_LENGTH || (data[212] ?? 0) > 1) {
      return whenReady(super.runPrecompile(code, data, gasLimit), (result) =>
        this.#described(code, data, result),
      )
    }
    const executionGasUsed = BigInt(roundsOf(data)) * this.common.param('blake2RoundGas')
    if (executionGasUsed > gasLimit) return outOfGas(gasLimit)
    const compressing = runWithin(blake2Compress(data), new TimeSlice())
    return whenReady(compressing, (returnValue) => ({ executionGasUsed, returnValue }))
  }
}
