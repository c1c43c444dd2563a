import type { StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMMockBlockchainInterface,
  type EVMPerformanceLogger,
  type ExecResult,
} from '@ethereumjs/evm'
import { describeFailure, stackOverflow, stackUnderflow, type FrameFailure } from './failure.js'
import type { SyncOpcode } from './syncOpcodes.js'
import { stackMaximum, stackMinimum } from './stackLimits.js'
import type { TraceFeed } from '../tracing/traceFeed.js'
import { framingOpcodes } from '../tracing/opcodes.js'
import { reportEnd, reportMisfit, runTracedStep } from '../tracing/tracedStep.js'

/** ethereumjs' interpreter of one frame; the package does not export its class. */
export type Interpreter = NonNullable<ExecResult['runState']>['interpreter']
/** What an interpreter keeps of its frame while it runs. */
export type RunState = NonNullable<ExecResult['runState']>
/** What the library knows of an opcode. */
export type OpcodeEntry = ReturnType<Interpreter['lookupOpInfo']>

/** Makes the interpreter of one frame. */
export type InterpreterConstructor = new (
  evm: EVM,
  state: StateManagerInterface,
  blockchain: EVMMockBlockchainInterface,
  environment: Interpreter['_env'],
  gasLeft: bigint,
  journal: EVM['journal'],
  logger: EVMPerformanceLogger,
) => Interpreter

/** An interpreter whose loop is this module's. */
export interface FrameInterpreter extends Interpreter {
  /** Runs the frame's code. @returns how it failed, if it did */
  execute(code: Uint8Array, host: FrameHost): Promise<FrameFailure | undefined>
  readonly runState: RunState
}

/** Makes the interpreter of one frame, with this module's loop. */
export type FrameInterpreterConstructor = new (
  ...parts: ConstructorParameters<InterpreterConstructor>
) => FrameInterpreter

/** What a frame shares with the other frames of its message. */
export interface FrameHost {
  /** The opcodes of the fork, by their byte. */
  readonly opcodeTable: readonly OpcodeEntry[]
  /** Those of them that await nothing. */
  readonly syncOpcodes: readonly (SyncOpcode | undefined)[]
  /** How many opcodes may still run before the clock is looked at. */
  stepsLeft: number
  /** Called when no steps are left; the promise, if any, resolves when other work has had its turn. */
  pause(): Promise<void> | undefined
  /** Sees every opcode before it runs. */
  observe: ((opcode: number, runState: RunState) => void) | undefined
  /** Tells a tracer of frames, logs and, if it asks for them, steps. */
  readonly feed: TraceFeed | undefined
  /** Whether somebody listens to every step, so that the library's own step has to run. */
  readonly traced: boolean
}

/** A traced step takes about as long as this many others. */
const TRACED_STEP_WEIGHT = 16
const JUMP = 0x56
const JUMPI = 0x57

interface JumpAnalysis {
  validJumps: Uint8Array
  pushes: Record<number, bigint>
}

/** By the code's own array: the same contract is called again and again, and its array stays the same. */
const analyses = new WeakMap<Uint8Array, JumpAnalysis>()

/**
 * ethereumjs' interpreter with another loop: opcodes that await nothing run without a promise each, the jump analysis
 * of a contract is made once, a long run lets other work have its turn, the stack is checked before the gas as in geth,
 * and failures carry geth's words.
 */
export function createInterpreterClass(Base: InterpreterConstructor): FrameInterpreterConstructor {
  return class extends Base {
    async execute(code: Uint8Array, host: FrameHost): Promise<FrameFailure | undefined> {
      const runState = this._runState
      const { opcodeTable, syncOpcodes, feed } = host
      const { stack } = runState
      runState.code = code
      let analysis = analyses.get(code)
      if (analysis !== undefined) this.#use(analysis)
      try {
        while (runState.programCounter < code.length) {
          const opcode = code[runState.programCounter] ?? 0
          if (analysis === undefined && (opcode === JUMP || opcode === JUMPI)) {
            const { jumps, pushes } = this._getValidJumpDestinations(code)
            analysis = { validJumps: jumps, pushes }
            analyses.set(code, analysis)
            this.#use(analysis)
          }
          runState.opCode = opcode
          const entry = opcodeTable[opcode] as OpcodeEntry
          if (--host.stepsLeft <= 0) await host.pause()
          const { length } = stack
          const minimum = stackMinimum[opcode] as number
          const maximum = stackMaximum[opcode] as number
          if ((length < minimum || length > maximum) && !entry.opcodeInfo.isInvalid) {
            const misfit = length < minimum ? stackUnderflow(length, minimum) : stackOverflow(length, maximum)
            if (feed !== undefined) await reportMisfit(runState, entry, misfit, feed.tracer)
            throw misfit
          }
          if (host.observe !== undefined) host.observe(opcode, runState)
          if (feed !== undefined && (feed.tracer.step !== undefined || framingOpcodes[opcode] === 1)) {
            feed.opcode = opcode
            host.stepsLeft -= TRACED_STEP_WEIGHT
            await runTracedStep(runState, entry, this.common, feed.tracer)
            continue
          }
          const sync = syncOpcodes[opcode]
          if (sync !== undefined && !host.traced) {
            const gas = sync.dynamicGas === undefined ? sync.gas : sync.gas + sync.dynamicGas(runState)
            if (gas > runState.gasLeft) {
              runState.gasLeft = 0n
              throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
            }
            runState.gasLeft -= gas
            runState.programCounter++
            const pending = sync.action(runState, this.common)
            if (pending instanceof Promise) await pending
          } else {
            await this.runStep(entry)
          }
        }
        if (feed !== undefined && code.length > 0) await reportEnd(runState, feed.tracer)
      } catch (error) {
        if (!(error instanceof EVMError)) throw error
        if (error.error !== EVMError.errorMessages.STOP) return describeFailure(error, runState)
      }
      return undefined
    }

    get runState(): RunState {
      return this._runState
    }

    #use({ validJumps, pushes }: JumpAnalysis): void {
      this._runState.validJumps = validJumps
      this._runState.cachedPushes = pushes
      this._runState.shouldDoJumpAnalysis = false
    }
  }
}

let frameInterpreter: Promise<FrameInterpreterConstructor> | undefined

/** The interpreter class, made from the one that a run of the library shows. */
export function loadFrameInterpreter(evm: EVM): Promise<FrameInterpreterConstructor> {
  frameInterpreter ??= captureInterpreter(evm).then(createInterpreterClass)
  return frameInterpreter
}

async function captureInterpreter(evm: EVM): Promise<InterpreterConstructor> {
  const { runState } = await EVM.prototype.runCode.call(evm, { code: Uint8Array.of(0x00), gasLimit: 1n })
  if (runState === undefined) throw new Error('@ethereumjs/evm no longer shows the state of a run')
  const constructor = runState.interpreter.constructor as InterpreterConstructor
  for (const member of ['run', 'runStep', '_getValidJumpDestinations']) {
    if (typeof Reflect.get(constructor.prototype, member) !== 'function') {
      throw new Error(`@ethereumjs/evm no longer has Interpreter.${member}`)
    }
  }
  return constructor
}
