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

/** An interpreter with our own loop, reused from frame to frame. */
export interface FrameInterpreter extends Interpreter {
  /** Resets everything for the start of a frame. */
  begin(start: FrameStart): void
  /** Runs the frame's code, synchronously unless something must be awaited. @returns the failure, if any */
  execute(host: FrameHost): Awaitable<FrameFailure | undefined>
  /** Releases what the frame held, once its result is taken. */
  end(): void
  readonly runState: RunState
}

/** What a frame starts with. */
export interface FrameStart {
  environment: FrameEnvironment
  gasLimit: bigint
  state: StateManagerInterface
  blockchain: EVMMockBlockchainInterface
  /** Accounts destroyed and created in the transaction; the frame adds its own. */
  selfdestruct: Map<PrefixedHexString, PrefixedHexString>
  createdAddresses: Set<PrefixedHexString>
}

/** Constructs an interpreter with our own loop. */
export type FrameInterpreterConstructor = new (
  ...parts: ConstructorParameters<InterpreterConstructor>
) => FrameInterpreter

/** What the frames of a message share. */
export interface FrameHost extends PlainHost {
  /** The opcodes of the fork, by byte. */
  readonly opcodeTable: readonly OpcodeEntry[]
  /** The synchronous ones among them. */
  readonly syncOpcodes: readonly (SyncOpcode | undefined)[]
  /** Called when the steps are used up; the promise, if any, resolves after other work has run. */
  pause(): Promise<void> | undefined
  /** Called before memory grows considerably; the promise, if any, resolves when there is room for it. */
  room(): Promise<void> | undefined
  /** Observes every opcode but the plain ones before it runs, or fails because the stack has too few items. */
  observe: ((opcode: number, runState: RunState) => void) | undefined
  /** Feeds a tracer with frames, logs and, if requested, steps. */
  readonly feed: TraceFeed | undefined
  /** Whether a tracer observes every step, so that the library's own step must run. */
  readonly traced: boolean
}
