import type { Awaitable } from '../../encoding/timeSlice.js'
import type { Authorization } from '../calls/callObject.js'
import type { RunState } from '../evm/internals.js'
import type { ExecutionLog } from '../types.js'

/** What begins a frame, by the name of its opcode; the outermost frame is a CALL or a CREATE. */
export type FrameType =
  'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'

/** A frame that begins. Its bytes are only lent: they change when the execution goes on. */
export interface FrameStart {
  type: FrameType
  /** 0 is the outermost frame. */
  depth: number
  /** 20 bytes; the account whose code calls. */
  from: Uint8Array
  /** 20 bytes; the account whose code runs, or that is created. */
  to: Uint8Array
  input: Uint8Array
  gas: bigint
  /** Wei; a DELEGATECALL has that of the frame around it, a STATICCALL none. */
  value?: bigint
}

/** A frame that ended. */
export interface FrameEnd {
  depth: number
  /** What it returned or reverted with, or the code that was created. */
  output: Uint8Array
  gasUsed: bigint
  /** Why it failed, in geth's words (core/vm/errors.go); absent on success. */
  failure?: string
}

/** An opcode before it runs, its cost known. What it refers to is only lent. */
export interface Step {
  /** The frame: stack, memory, program counter and the opcode. */
  runState: RunState
  /** Gas before the opcode. */
  gas: bigint
  /** Gas of the opcode, with what it hands on to a call. */
  cost: bigint
  /** Words of memory before the opcode extends it. */
  memoryWords: number
  /** Why the opcode does not run, in geth's words: what it lacks in gas or stack items. */
  failure?: string
}

/** Reads the state that a traced execution changes. */
export interface TracedState {
  readAccount(
    address: Uint8Array,
  ): Awaitable<{ nonce: bigint; balance: bigint; codeHash: Uint8Array } | undefined>
  /** Empty if there is none. */
  readCode(address: Uint8Array): Awaitable<Uint8Array>
  /** The value of a 32-byte slot without leading zeros. */
  readStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}

/** The transaction or call that is about to be executed. */
export interface TracedMessage {
  /** 20 bytes. */
  from: Uint8Array
  /** 20 bytes; absent for a creation. */
  to: Uint8Array | undefined
  gasLimit: bigint
  /** Wei per gas that the beneficiary of the block gets. */
  gasTip: bigint
  blockNumber: bigint
  authorizations: readonly Authorization[]
  /** 20 bytes; the beneficiary of the block. */
  coinbase: Uint8Array
  state: TracedState
  /** How many logs the block has before this transaction. */
  firstLogIndex: number
  /** The precompiles by address: 40 lower-case hexadecimal digits. */
  precompiles: ReadonlySet<string>
}

/** Is told what an execution does while it does it (geth: core/tracing, Hooks). What it leaves out costs nothing. */
export interface ExecutionTracer {
  /** Before anything is changed. */
  begin?(message: TracedMessage): Awaitable<void>
  enter?(frame: FrameStart): Awaitable<void>
  exit?(end: FrameEnd): Awaitable<void>
  step?(step: Step): Promise<void> | undefined
  /** An opcode that was told of as a step has failed, in geth's words; so does one that reverts. */
  fault?(step: Step, failure: string): Awaitable<void>
  log?(log: ExecutionLog): void
  /** Gas that is given back whatever the code does: for authorities that existed already (EIP-7702). */
  refund?(gas: bigint): void
  /** Now and then while opcodes run. What it throws ends the execution. */
  tick?(): void
  /** After everything is settled: fees are paid, destroyed accounts are gone. @param gasUsed - after refunds */
  end?(gasUsed: bigint): Awaitable<void>
}

/** One tracer that tells several, in their order; it asks for steps only if one of them does. */
export function combineTracers(tracers: readonly ExecutionTracer[]): ExecutionTracer {
  const [first] = tracers
  if (first !== undefined && tracers.length === 1) return first
  const stepping = tracers.filter(({ step }) => step !== undefined)
  return {
    begin: async (message) => {
      for (const tracer of tracers) await tracer.begin?.(message)
    },
    enter: (frame) => settled(tracers.map((tracer) => tracer.enter?.(frame))),
    exit: (end) => settled(tracers.map((tracer) => tracer.exit?.(end))),
    fault: (step, failure) => settled(tracers.map((tracer) => tracer.fault?.(step, failure))),
    log: (log) => {
      for (const tracer of tracers) tracer.log?.(log)
    },
    refund: (gas) => {
      for (const tracer of tracers) tracer.refund?.(gas)
    },
    tick: () => {
      for (const tracer of tracers) tracer.tick?.()
    },
    end: async (gasUsed) => {
      for (const tracer of tracers) await tracer.end?.(gasUsed)
    },
    ...(stepping.length > 0 && {
      step: (step) => settled(stepping.map((tracer) => tracer.step?.(step))),
    }),
  }
}

/** A promise only if one of several tracers has given one. */
function settled(answers: readonly Awaitable<void>[]): Promise<void> | undefined {
  const pending = answers.filter((answer) => answer instanceof Promise)
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
}
