import type { Awaitable } from '../../encoding/timeSlice.js'
import type { StateManagerInterface } from '@ethereumjs/common'
import type { EVMMockBlockchainInterface } from '@ethereumjs/evm'
import type { PrefixedHexString } from '@ethereumjs/util'
import type { TraceFeed } from '../tracing/traceFeed.js'
import type { FrameFailure } from './failure.js'
import type { FrameEnvironment } from './frameEnvironment.js'
import type { PlainHost } from './plainLoop.js'
import type { Interpreter, InterpreterConstructor, OpcodeEntry, RunState } from './internals.js'
import type { SyncOpcode } from './syncOpcodes.js'

/** An interpreter whose loop is our own, and that goes from one frame to the next. */
export interface FrameInterpreter extends Interpreter {
  /** Makes everything as it is at the beginning of a frame. */
  begin(start: FrameStart): void
  /** Runs the frame's code, at once unless something is to be awaited. @returns how it failed, if it did */
  execute(host: FrameHost): Awaitable<FrameFailure | undefined>
  readonly runState: RunState
}

/** What a frame begins with. */
export interface FrameStart {
  environment: FrameEnvironment
  gasLimit: bigint
  state: StateManagerInterface
  blockchain: EVMMockBlockchainInterface
  /** Accounts that are destroyed and created in the transaction; the frame adds its own. */
  selfdestruct: Map<PrefixedHexString, PrefixedHexString>
  createdAddresses: Set<PrefixedHexString>
}

/** Makes an interpreter with our own loop. */
export type FrameInterpreterConstructor = new (
  ...parts: ConstructorParameters<InterpreterConstructor>
) => FrameInterpreter

/** What a frame shares with the other frames of its message. */
export interface FrameHost extends PlainHost {
  /** The opcodes of the fork, by their byte. */
  readonly opcodeTable: readonly OpcodeEntry[]
  /** Those of them that await nothing. */
  readonly syncOpcodes: readonly (SyncOpcode | undefined)[]
  /** Called when no steps are left; the promise, if any, resolves when other work has had its turn. */
  pause(): Promise<void> | undefined
  /** Sees every opcode but the plain ones before it runs. */
  observe: ((opcode: number, runState: RunState) => void) | undefined
  /** Tells a tracer of frames, logs and, if it asks for them, steps. */
  readonly feed: TraceFeed | undefined
  /** Whether a tracer listens to every step, so that the library's own step has to run. */
  readonly traced: boolean
}
