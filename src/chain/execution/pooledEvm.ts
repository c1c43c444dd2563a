import type { StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  EVMMockBlockchain,
  NobleBN254,
  type EVMMockBlockchainInterface,
  type EVMOpts,
  type EVMResult,
  type EVMRunCallOpts,
  type ExecResult,
  type Message,
  type PrecompileFunc,
} from '@ethereumjs/evm'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, createZeroAddress } from '@ethereumjs/util'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { bytesEqual, hexToBytes } from '../../encoding/hex.js'
import { createCompactJournal } from './compactJournal.js'
import { loadKzg } from '../kzg.js'
import type { Awaitable, ForkRules } from '../types.js'
import type { BlockEnvironment } from './blockEnvironment.js'
import type { PeakGas } from './peakGas.js'
import { TraceFeed } from '../tracing/traceFeed.js'
import type { ExecutionTracer } from '../tracing/tracer.js'
import { createSyncOpcodes } from './syncOpcodes.js'
import {
  loadFrameInterpreter,
  type FrameHost,
  type FrameInterpreterConstructor,
  type RunState,
} from './interpreter.js'

/** How many opcodes run between two looks at the clock. */
const STEPS_BETWEEN_LOOKS = 2048
/** How long an execution may hold the event loop before other work has its turn. */
const SLICE_MILLISECONDS = 5
/** The precompile that recovers signers, as a key of the precompile map. */
const ECRECOVER = '0000000000000000000000000000000000000001'
/** EIP-4844: the point evaluation precompile, as a key of the precompile map. */
const POINT_EVALUATION = '000000000000000000000000000000000000000a'
/** BLOCKHASH of a block that is not known. */
const ZERO_HASH = new Uint8Array(32)

/** Precompiles by address: 40 lower-case hexadecimal digits without a prefix. */
export type PrecompileMap = Map<string, PrecompileFunc>

/** Told of the data of a call to the console's address. */
export type ConsoleListener = (data: Uint8Array) => void

/** What an execution works on. */
export interface ExecutionContext {
  rules: ForkRules
  state: StateManagerInterface
  block: BlockEnvironment
  /** The 32-byte hash of an earlier block, for BLOCKHASH; undefined reads as zero. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
  /** Sees what contracts give to the console. */
  onConsole?: ConsoleListener | undefined
}

/** The state of an EVM that is not lent. */
const noState = new SimpleStateManager()

/**
 * An EVM that goes from one execution to the next: making one costs far more than a small call.
 *
 * While it is bound it works on the context that it was given; released, it remembers nothing of it.
 */
export class PooledEvm extends EVM implements FrameHost {
  readonly syncOpcodes: FrameHost['syncOpcodes']
  stepsLeft = STEPS_BETWEEN_LOOKS
  /** Sees every opcode before it runs. */
  observe: ((opcode: number, runState: RunState) => void) | undefined
  /** Measures the least gas of the next messages. */
  peakGas: PeakGas | undefined
  /** Bytes that the code of the last creation returned. */
  deployedSize = 0
  #feed: TraceFeed | undefined
  #block: BlockEnvironment | undefined
  #onConsole: ConsoleListener | undefined
  #sliceStart = 0
  readonly #Interpreter: FrameInterpreterConstructor
  readonly #ownPrecompiles: PrecompileMap
  /** The addresses of the fork's precompiles, whatever overrides made of them: 40 lower-case hexadecimal digits. */
  readonly forkPrecompiles: readonly string[]

  /** A new EVM under these rules. */
  static async create(rules: ForkRules): Promise<PooledEvm> {
    const options = {
      common: rules,
      blockchain: new EVMMockBlockchain(),
      bn254: new NobleBN254(),
      stateManager: noState,
    }
    return new PooledEvm(options, await loadFrameInterpreter(new EVM(options)), rules)
  }

  private constructor(options: EVMOpts, Interpreter: FrameInterpreterConstructor, rules: ForkRules) {
    super(options)
    this.#Interpreter = Interpreter
    this.syncOpcodes = createSyncOpcodes(this._opcodeMap, this.common)
    this.#ownPrecompiles = this._precompiles
    const ecrecover = this._precompiles.get(ECRECOVER)
    if (ecrecover !== undefined && rules.recoveries !== undefined) {
      this._precompiles.set(ECRECOVER, rules.recoveries.around(ecrecover))
    }
    this.forkPrecompiles = [...this._precompiles.keys()]
    this.journal = createCompactJournal(this)
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

  /** Tells a tracer of the next messages; undefined ends that. */
  trace(tracer: ExecutionTracer | undefined): void {
    this.#feed = tracer && new TraceFeed(tracer, this)
  }

  /** The block of the context that this EVM works on. */
  get block(): BlockEnvironment {
    if (this.#block === undefined) throw new Error('this EVM is not lent')
    return this.#block
  }

  /** The block that the next messages run in. */
  set block(block: BlockEnvironment) {
    this.#block = block
  }

  /** The precompiles of the fork until {@link usePrecompiles} replaces them. */
  usePrecompiles(precompiles: PrecompileMap): void {
    this._precompiles = precompiles
  }

  /** Sets this EVM to work on a context. */
  bind({ state, block, blockHash, onConsole }: ExecutionContext): void {
    this.#onConsole = onConsole
    this.#setState(state)
    this.blockchain = createHashLookup(blockHash)
    this.#block = block
    this.#sliceStart = performance.now()
  }

  /** Forgets the context. */
  release(): void {
    this.#setState(noState)
    this.journal.cleanJournal()
    this.transientStorage.clear()
    this.events.removeAllListeners()
    this._precompiles = this.#ownPrecompiles
    this.observe = undefined
    this.peakGas = undefined
    this.#feed = undefined
    this.#block = undefined
    this.#onConsole = undefined
  }

  /** The journal has the state manager too, in a member that is private in the library's types. */
  #setState(state: StateManagerInterface): void {
    this.stateManager = state
    if (!Reflect.has(this.journal, 'stateManager'))
      throw new Error('@ethereumjs/evm changed Journal.stateManager')
    Reflect.set(this.journal, 'stateManager', state)
  }

  pause(): Promise<void> | undefined {
    this.stepsLeft = STEPS_BETWEEN_LOOKS
    this.#feed?.tracer.tick?.()
    if (performance.now() - this.#sliceStart < SLICE_MILLISECONDS) return undefined
    return nextTurn().then(() => {
      this.#sliceStart = performance.now()
    })
  }

  override runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const feed = this.#feed
    return feed === undefined ? this.#runCall(options) : feed.run(options, () => this.#runCall(options))
  }

  async #runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    const { peakGas } = this
    const { message } = options
    if (this.#onConsole !== undefined && message?.to !== undefined && isConsole(message.to.bytes)) {
      this.#onConsole(message.data.slice())
    }
    if (peakGas === undefined || message === undefined) return super.runCall(options)
    const withStipend = message.to !== undefined && message.value > 0n && !message.delegatecall
    peakGas.beginMessage()
    const result = await super.runCall(options)
    peakGas.endMessage(result.execResult.executionGasUsed, withStipend)
    return result
  }

  protected override async runInterpreter(message: Message & { isCreate?: boolean }): Promise<ExecResult> {
    const address = message.to ?? createZeroAddress()
    const code = message.code as Uint8Array
    const interpreter = new this.#Interpreter(
      this,
      this.stateManager,
      this.blockchain,
      {
        address,
        caller: message.caller,
        callData: message.data,
        callValue: message.value,
        code,
        isStatic: message.isStatic,
        isCreate: message.isCreate ?? false,
        depth: message.depth,
        gasPrice: this._tx?.gasPrice ?? 0n,
        origin: this._tx?.origin ?? message.caller,
        block: this._block ?? this.block,
        contract: (await this.stateManager.getAccount(address)) ?? new Account(),
        codeAddress: message.codeAddress,
        gasRefund: message.gasRefund,
        blobVersionedHashes: message.blobVersionedHashes ?? [],
        createdAddresses: message.createdAddresses,
      },
      message.gasLimit,
      this.journal,
      this.performanceLogger,
    )
    if (message.selfdestruct !== undefined) interpreter._result.selfdestruct = message.selfdestruct
    if (message.createdAddresses !== undefined)
      interpreter._result.createdAddresses = message.createdAddresses
    this.peakGas?.enter(interpreter.runState)
    const failure = await interpreter.execute(code, this)
    const { gasLeft, gasRefund } = interpreter.runState
    this.peakGas?.leave(message.gasLimit - gasLeft)
    const returnValue = interpreter._result.returnValue ?? new Uint8Array(0)
    if (message.isCreate === true) this.deployedSize = returnValue.length
    if (failure === undefined) {
      return {
        ...interpreter._result,
        returnValue,
        gas: gasLeft,
        executionGasUsed: message.gasLimit - gasLeft,
        gasRefund,
      }
    }
    const reverted = failure.error === EVMError.errorMessages.REVERT
    return {
      returnValue,
      exceptionError: failure,
      gas: gasLeft,
      executionGasUsed: reverted ? message.gasLimit - gasLeft : message.gasLimit,
      gasRefund,
      logs: [],
      selfdestruct: new Map(),
      createdAddresses: new Set(),
    }
  }

  protected override runPrecompile(
    code: PrecompileFunc,
    data: Uint8Array,
    gasLimit: bigint,
  ): Promise<ExecResult> | ExecResult {
    if (code !== this.#ownPrecompiles.get(POINT_EVALUATION)) return super.runPrecompile(code, data, gasLimit)
    return loadKzg().then(() => super.runPrecompile(code, data, gasLimit))
  }
}

/** The address that the libraries for console.log of hardhat and forge call: its last bytes say "console.log". */
const CONSOLE_ADDRESS = hexToBytes('000000000000000000636f6e736f6c652e6c6f67')

function isConsole(address: Uint8Array): boolean {
  return bytesEqual(address, CONSOLE_ADDRESS)
}

function createHashLookup(blockHash: ExecutionContext['blockHash']): EVMMockBlockchainInterface {
  const lookup: EVMMockBlockchainInterface = {
    getBlock: async (number) => {
      const hash = (await blockHash(BigInt(number))) ?? ZERO_HASH
      return { hash: () => hash }
    },
    putBlock: async () => {},
    shallowCopy: () => lookup,
  }
  return lookup
}
