import type { Awaitable } from '../../encoding/timeSlice.js'
import { type EVM, EVMError } from '@ethereumjs/evm'
import { NO_BYTES } from '../state/account.js'
import { framingOpcodes } from '../tracing/opcodes.js'
import { reportEnd, reportStackError, runTracedStep } from '../tracing/tracedStep.js'
import { codeTableOf, stackMaximum, stackMinimum } from './codeTable.js'
import { FrameFailure, describeFailure, stackOverflow, stackUnderflow } from './failure.js'
import type { FrameHost, FrameInterpreterConstructor, FrameStart } from './frameInterpreter.js'
import { CONSIDERABLE_GAS, StateNotLoaded, noEnvironment, noState } from './frameEnvironment.js'
import {
  type InterpreterConstructor,
  type OpcodeEntry,
  type RunState,
  captureInterpreter,
  clearMemory,
} from './internals.js'
import { runPlain } from './plainLoop.js'
import { integerWord } from './words.js'

/** A traced step takes about as long as this many others. */
const TRACED_STEP_WEIGHT = 16
/** log2 of the gas that counts as one plain step in time: hashes and copies cost by size. */
const GAS_BITS_OF_STEP = 4
const JUMP = 0x56
const JUMPI = 0x57

/** Memory reused between frames; a frame that took more releases it. */
const KEPT_MEMORY_BYTES = 65_536
const MAX_COUNTABLE_GAS = BigInt(Number.MAX_SAFE_INTEGER)
const NO_JUMPS = new Uint8Array(0)
const NO_CODE = codeTableOf(NO_BYTES)
const NO_RESULT = {
  logs: [],
  returnValue: undefined,
  selfdestruct: new Map<never, never>(),
  createdAddresses: new Set<never>(),
}

/**
 * Creates a subclass of ethereumjs' interpreter with its own loop. Synchronous opcodes run without promises, most of
 * them without a call. Jump analysis happens once per contract. A long run yields to other work. The stack is checked
 * before the gas as in geth, and failures carry geth's messages. One interpreter serves many frames in turn, since most
 * of the cost of a small frame was its 8 KB of new memory.
 */
function createInterpreterClass(Base: InterpreterConstructor): FrameInterpreterConstructor {
  return class extends Base {
    #table = NO_CODE
    /** Whether the end of the code has yet to be reported to a tracer. */
    #isEndUnreported = true
    /** Gas left before the last traced step. */
    #gasBeforeStep = 0

    begin({ environment, gasLimit, state, blockchain, selfdestruct, createdAddresses }: FrameStart): void {
      const runState = this._runState
      runState.programCounter = 0
      if (runState.stack.length > 0) runState.stack.popN(runState.stack.length)
      runState.code = environment.code
      runState.env = environment
      runState.stateManager = state
      runState.blockchain = blockchain
      runState.gasLeft = gasLimit
      runState.gasRefund = environment.gasRefund
      runState.messageGasLimit = undefined
      runState.returnBytes = NO_BYTES
      this._stateManager = state
      this._env = environment
      this._result = { logs: [], returnValue: undefined, selfdestruct, createdAddresses }
      this.#isEndUnreported = true
      this.#gasBeforeStep = 0
      runState.validJumps = NO_JUMPS
      this.#table = codeTableOf(environment.code)
    }

    end(): void {
      this.#clearMemory()
      const runState = this._runState
      runState.returnBytes = NO_BYTES
      runState.code = NO_BYTES
      runState.validJumps = NO_JUMPS
      runState.env = noEnvironment
      runState.stateManager = noState
      this._env = noEnvironment
      this._stateManager = noState
      this._result = NO_RESULT
      this.#table = NO_CODE
    }

    execute(host: FrameHost): Awaitable<FrameFailure | undefined> {
      try {
        const pending = this.#advance(host)
        return pending === undefined ? undefined : this.#resume(pending, host)
      } catch (error) {
        return this.#failureOf(error, host)
      }
    }

    get runState(): RunState {
      return this._runState
    }

    async #resume(pending: Promise<unknown>, host: FrameHost): Promise<FrameFailure | undefined> {
      try {
        for (
          let next: Promise<unknown> | undefined = pending;
          next !== undefined;
          next = this.#advance(host)
        ) {
          await next
        }
        return undefined
      } catch (error) {
        return this.#failureOf(error, host)
      }
    }

    #failureOf(error: unknown, host: FrameHost): FrameFailure | undefined {
      if (!(error instanceof EVMError)) throw error
      if (error.error === EVMError.errorMessages.STOP) return undefined
      // A tracer has seen the failure's message.
      if (error instanceof FrameFailure && host.feed !== undefined) return error
      const { opCode, gasLeft } = this._runState
      const isLibraryStep = host.traced || host.syncOpcodes[opCode] === undefined
      return describeFailure(error, this._runState, {
        entry: host.opcodeTable[opCode] as OpcodeEntry,
        rules: this.common,
        gasLeft: isLibraryStep ? BigInt(this.#gasBeforeStep) : gasLeft,
      })
    }

    #advance(host: FrameHost): Promise<unknown> | undefined {
      try {
        return this.#run(host)
      } catch (error) {
        if (error instanceof StateNotLoaded) return error.arrival
        throw error
      }
    }

    /**
     * Runs until the code ends or something must be awaited; in the latter case the caller calls it again.
     *
     * The cost of opcodes is summed up as a number and subtracted from the gas only when the gas is read: numbers are
     * free, while each change of the gas allocates a bigint.
     */
    #run(host: FrameHost): Promise<unknown> | undefined {
      const runState = this._runState
      const rules = this.common
      const { opcodeTable, syncOpcodes, feed } = host
      const { code, stack } = runState
      const isWatched = feed !== undefined || host.traced
      const showsSteps = host.traced || feed?.tracer.step !== undefined
      let affordable = countable(runState.gasLeft)
      let spent = 0
      if (this.#gasBeforeStep > affordable) {
        host.stepsLeft -= Math.floor((this.#gasBeforeStep - affordable) / 2 ** GAS_BITS_OF_STEP)
        this.#gasBeforeStep = 0
      }
      try {
        while (runState.programCounter < code.length) {
          if (!showsSteps) {
            spent += runPlain(runState, this.#table, host, affordable - spent)
            if (runState.programCounter >= code.length) break
          }
          const opcode = code[runState.programCounter] as number
          if (opcode === JUMP || opcode === JUMPI) {
            const search = this.#table.findJumps()
            if (search !== undefined) return search
            runState.validJumps = this.#table.jumps
          }
          runState.opCode = opcode
          if (--host.stepsLeft <= 0) {
            const pause = host.pause()
            if (pause !== undefined) return pause
          }
          const { length } = stack
          if (length < (stackMinimum[opcode] as number) || length > (stackMaximum[opcode] as number)) {
            const stackError = this.#stackError(opcode, host)
            if (stackError !== undefined) return stackError
          }
          const sync = syncOpcodes[opcode]
          if (spent > 0 && (sync === undefined || sync.readsGas || isWatched)) {
            runState.gasLeft -= integerWord(spent)
            affordable = countable(runState.gasLeft)
            spent = 0
          }
          if (host.observe !== undefined) host.observe(opcode, runState)
          if (feed !== undefined && (feed.tracer.step !== undefined || framingOpcodes[opcode] === 1)) {
            feed.opcode = opcode
            host.stepsLeft -= TRACED_STEP_WEIGHT
            this.#gasBeforeStep = affordable
            const entry = opcodeTable[opcode] as OpcodeEntry
            return runTracedStep(runState, { entry, sync }, rules, {
              tracer: feed.tracer,
              room: () => host.room(),
            })
          }
          if (sync === undefined || host.traced) {
            // A creation hashes and copies as much as tens of thousands of opcodes.
            host.stepsLeft = sync === undefined ? 0 : host.stepsLeft - TRACED_STEP_WEIGHT
            this.#gasBeforeStep = affordable
            return this.runStep(opcodeTable[opcode])
          }
          const gas = sync.dynamicGas === undefined ? sync.gas : sync.gas + sync.dynamicGas(runState)
          if (spent + gas > affordable) {
            runState.gasLeft -= integerWord(spent)
            affordable = countable(runState.gasLeft)
            spent = 0
            if (gas > affordable) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
          }
          host.stepsLeft -= gas >>> GAS_BITS_OF_STEP
          runState.programCounter++
          const room = gas > CONSIDERABLE_GAS ? host.room() : undefined
          if (sync.readsGas) runState.gasLeft -= integerWord(gas)
          else spent += gas
          const pending =
            room === undefined ? sync.action(runState, rules) : room.then(() => sync.action(runState, rules))
          if (pending instanceof Promise) return pending
          if (sync.readsGas) affordable = countable(runState.gasLeft)
        }
      } finally {
        if (spent > 0) runState.gasLeft -= integerWord(spent)
      }
      if (feed === undefined || code.length === 0 || !this.#isEndUnreported) return undefined
      this.#isEndUnreported = false
      return reportEnd(runState, feed.tracer)
    }

    /**
     * Fails because of a stack underflow or overflow, unless the opcode does not exist, which is another failure.
     *
     * @throws FrameFailure, after reporting to a tracer if there is one
     */
    #stackError(opcode: number, { opcodeTable, feed, observe }: FrameHost): Promise<never> | undefined {
      const entry = opcodeTable[opcode] as OpcodeEntry
      if (entry.opcodeInfo.isInvalid) return undefined
      observe?.(opcode, this._runState)
      const { length } = this._runState.stack
      const minimum = stackMinimum[opcode] as number
      const failure =
        length < minimum
          ? stackUnderflow(length, minimum)
          : stackOverflow(length, stackMaximum[opcode] as number)
      if (feed === undefined) throw failure
      return reportStackError(this._runState, entry, failure, {
        tracer: feed.tracer,
        rules: this.common,
      }).then(() => {
        throw failure
      })
    }

    #clearMemory(): void {
      const runState = this._runState
      const used = Number(runState.memoryWordCount) * 32
      clearMemory(runState.memory, { used, kept: KEPT_MEMORY_BYTES })
      runState.memoryWordCount = 0n
      runState.highestMemCost = 0n
    }
  }
}

/** Caps gas to what is summed up at once: numbers are exact up to 2^53, but the gas of a call may exceed that. */
function countable(gas: bigint): number {
  return gas < MAX_COUNTABLE_GAS ? Number(gas) : Number.MAX_SAFE_INTEGER
}

let frameInterpreter: Promise<FrameInterpreterConstructor> | undefined

/** Loads the interpreter class, derived from the one of the library, of which `createEvm` makes a sample. */
export function loadFrameInterpreter(createEvm: () => EVM): Promise<FrameInterpreterConstructor> {
  frameInterpreter ??= captureInterpreter(createEvm()).then(createInterpreterClass)
  return frameInterpreter
}
