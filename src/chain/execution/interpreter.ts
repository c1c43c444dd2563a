import type { StateManagerInterface } from '@ethereumjs/common'
import {
  EVM,
  EVMError,
  type EVMMockBlockchainInterface,
  type EVMPerformanceLogger,
  type ExecResult,
} from '@ethereumjs/evm'
import { describeFailure, stackOverflow, stackUnderflow, type FrameFailure } from './failure.js'
import { stackMaximum, stackMinimum } from './stackLimits.js'

/** ethereumjs' interpreter of one frame; the package does not export its class. */
export type Interpreter = NonNullable<ExecResult['runState']>['interpreter']
/** What an interpreter keeps of its frame while it runs. */
export type RunState = NonNullable<ExecResult['runState']>
type OpcodeEntry = ReturnType<Interpreter['lookupOpInfo']>

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
  execute(code: Uint8Array, host: FrameHost, plain: Uint8Array): Promise<FrameFailure | undefined>
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
  /** How many opcodes may still run before the clock is looked at. */
  stepsLeft: number
  /** Called when no steps are left; the promise, if any, resolves when other work has had its turn. */
  pause(): Promise<void> | undefined
  /** Sees every opcode before it runs. */
  observe: ((opcode: number, runState: RunState) => void) | undefined
  /** Whether somebody listens to every step, so that the library's own step has to run. */
  readonly traced: boolean
}

const JUMP = 0x56
const JUMPI = 0x57
const AsyncFunction = (async () => {}).constructor

interface JumpAnalysis {
  validJumps: Uint8Array
  pushes: Record<number, bigint>
}

/** By the code's own array: the same contract is called again and again, and its array stays the same. */
const analyses = new WeakMap<Uint8Array, JumpAnalysis>()

/**
 * Which opcodes need nothing but their static gas and the handler's synchronous run.
 *
 * ethereumjs marks some plain functions as asynchronous (CALLDATALOAD, CALLER), so the function itself is looked at.
 */
export function plainOpcodes(opcodes: readonly OpcodeEntry[]): Uint8Array {
  return Uint8Array.from(opcodes, ({ opcodeInfo, opHandler }) =>
    !opcodeInfo.dynamicGas && !opcodeInfo.isInvalid && opHandler.constructor !== AsyncFunction ? 1 : 0,
  )
}

/**
 * ethereumjs' interpreter with another loop: opcodes that await nothing run without a promise each, the jump analysis
 * of a contract is made once, a long run lets other work have its turn, the stack is checked before the gas as in geth,
 * and failures carry geth's words.
 */
export function createInterpreterClass(Base: InterpreterConstructor): FrameInterpreterConstructor {
  return class extends Base {
    async execute(code: Uint8Array, host: FrameHost, plain: Uint8Array): Promise<FrameFailure | undefined> {
      const runState = this._runState
      const { opcodeTable } = host
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
          if (length < minimum && !entry.opcodeInfo.isInvalid) throw stackUnderflow(length, minimum)
          const maximum = stackMaximum[opcode] as number
          if (length > maximum && !entry.opcodeInfo.isInvalid) throw stackOverflow(length, maximum)
          if (host.observe !== undefined) host.observe(opcode, runState)
          if (plain[opcode] === 1 && !host.traced) {
            runState.gasLeft -= entry.opcodeInfo.feeBigInt
            if (runState.gasLeft < 0n) {
              runState.gasLeft = 0n
              throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
            }
            runState.programCounter++
            const pending: unknown = entry.opHandler.call(null, runState, this.common)
            if (pending instanceof Promise) await pending
          } else {
            await this.runStep(entry)
          }
        }
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
