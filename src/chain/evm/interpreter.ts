import type { Awaitable } from '../../encoding/timeSlice.js'
import { type EVM, EVMError } from '@ethereumjs/evm'
import { NO_BYTES } from '../state/account.js'
import { framingOpcodes } from '../tracing/opcodes.js'
import { reportEnd, reportStackError, runTracedStep } from '../tracing/tracedStep.js'
import { codeTableOf, stackMaximum, stackMinimum } from './codeTable.js'
import {
  FrameFailure,
  describeFailure,
  opcodeOutOfGas,
  stackOverflow,
  stackUnderflow,
} from './failure.js'
import type { FrameHost, FrameInterpreterConstructor, FrameStart } from './frameInterpreter.js'
import { StateNotLoaded } from './frameEnvironment.js'
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
/** Gas that buys as much time as one plain step takes: hashes and copies cost by their size. */
const GAS_BITS_OF_STEP = 4
const JUMP = 0x56
const SELFDESTRUCT = 0xff
const JUMPI = 0x57

/** Memory that is kept from frame to frame; a frame that took more gives it back. */
const KEPT_MEMORY_BYTES = 65_536
const FIRST_MEMORY_BYTES = 8_192
const MOST_COUNTABLE_GAS = BigInt(Number.MAX_SAFE_INTEGER)
const NO_JUMPS = new Uint8Array(0)
const NO_CODE = codeTableOf(NO_BYTES)

/**
 * ethereumjs' interpreter with another loop: opcodes that await nothing run without a promise each, most of them without
 * a call, the jump analysis of a contract is made once, a long run lets other work have its turn, the stack is checked
 * before the gas as in geth, and failures carry geth's words. One interpreter serves many frames, one after another: most
 * of the cost of a small frame was the 8 KB of memory that each new one takes.
 */
export function createInterpreterClass(Base: InterpreterConstructor): FrameInterpreterConstructor {
  return class extends Base {
    #table = NO_CODE
    /** Whether the end of the code is still to be told to a tracer. */
    #isEndUnreported = true
    /** The gas that was left before the last traced step. */
    #gasBeforeStep = 0

    begin({ environment, gasLimit, state, blockchain, selfdestruct, createdAddresses }: FrameStart): void {
      const runState = this._runState
      this.#clearMemory()
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

    execute(host: FrameHost): Awaitable<FrameFailure | undefined> {
      try {
        const pending = this.#advance(host)
        return pending === undefined ? undefined : this.#resume(pending, host)
      } catch (error) {
        return this.#failureOf(error)
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
        return this.#failureOf(error)
      }
    }

    #failureOf(error: unknown): FrameFailure | undefined {
      if (!(error instanceof EVMError)) throw error
      if (error.error === EVMError.errorMessages.STOP) return undefined
      if (error instanceof FrameFailure) return error
      // Only the library runs this opcode, which leaves no gas to tell how far its price was computed.
      const isUnpaid =
        this._runState.opCode === SELFDESTRUCT && error.error === EVMError.errorMessages.OUT_OF_GAS
      const cause = isUnpaid ? opcodeOutOfGas(this._runState, this.common, this.#gasBeforeStep) : error
      return describeFailure(cause, this._runState)
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
     * Runs until the code ends or something is to be awaited; then it is called again.
     *
     * What opcodes cost is summed up as a number and taken from the gas when that is read: a number costs nothing, and
     * each change of the gas makes a bigint.
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
          if (opcode === JUMP || opcode === JUMPI) runState.validJumps = this.#table.jumps
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
          if (spent > 0 && (sync === undefined || sync.seesGas || isWatched)) {
            runState.gasLeft -= integerWord(spent)
            affordable = countable(runState.gasLeft)
            spent = 0
          }
          if (host.observe !== undefined) host.observe(opcode, runState)
          if (feed !== undefined && (feed.tracer.step !== undefined || framingOpcodes[opcode] === 1)) {
            feed.opcode = opcode
            host.stepsLeft -= TRACED_STEP_WEIGHT
            this.#gasBeforeStep = affordable
            return runTracedStep(runState, opcodeTable[opcode] as OpcodeEntry, rules, feed.tracer)
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
            if (gas > affordable) {
              const failure = opcodeOutOfGas(runState, rules, affordable)
              runState.gasLeft = 0n
              throw failure
            }
          }
          host.stepsLeft -= gas >>> GAS_BITS_OF_STEP
          runState.programCounter++
          if (!sync.seesGas) {
            spent += gas
            const pending = sync.action(runState, rules)
            if (pending instanceof Promise) return pending
            continue
          }
          runState.gasLeft -= integerWord(gas)
          const pending = sync.action(runState, rules)
          if (pending instanceof Promise) return pending
          affordable = countable(runState.gasLeft)
        }
      } finally {
        if (spent > 0) runState.gasLeft -= integerWord(spent)
      }
      if (feed === undefined || code.length === 0 || !this.#isEndUnreported) return undefined
      this.#isEndUnreported = false
      return reportEnd(runState, feed.tracer)
    }

    /**
     * Fails for want of stack items or of room for them; an opcode that does not exist fails otherwise.
     *
     * @throws FrameFailure, after a tracer has been told if there is one
     */
    #stackError(opcode: number, { opcodeTable, feed }: FrameHost): Promise<never> | undefined {
      const entry = opcodeTable[opcode] as OpcodeEntry
      if (entry.opcodeInfo.isInvalid) return undefined
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
      clearMemory(runState.memory, { used, kept: KEPT_MEMORY_BYTES, initial: FIRST_MEMORY_BYTES })
      runState.memoryWordCount = 0n
      runState.highestMemCost = 0n
    }
  }
}

/** As much gas as is summed up at once: numbers are exact up to 2^53, and the gas of a call may be more. */
function countable(gas: bigint): number {
  return gas < MOST_COUNTABLE_GAS ? Number(gas) : Number.MAX_SAFE_INTEGER
}

let frameInterpreter: Promise<FrameInterpreterConstructor> | undefined

/** The interpreter class, made from the one that a run of the library shows. */
export function loadFrameInterpreter(evm: EVM): Promise<FrameInterpreterConstructor> {
  frameInterpreter ??= captureInterpreter(evm).then(createInterpreterClass)
  return frameInterpreter
}
