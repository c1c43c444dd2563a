import type { Awaitable } from '../../encoding/timeSlice.js'
import type { Authorization } from '../calls/callObject.js'
import type { RunState } from '../evm/internals.js'
import type { ExecutionLog } from '../types.js'

/** What starts a frame, by opcode name; the outermost frame is a CALL or a CREATE. */
export type FrameType =
  'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'

/** The start of a frame. Its bytes are only valid during the call. */
export interface FrameStart {
  type: FrameType
  /** 0 for the outermost frame. */
  depth: number
  /** 20 bytes; the account whose code calls. */
  from: Uint8Array
  /** 20 bytes; the account whose code runs, or that is created. */
  to: Uint8Array
  input: Uint8Array
  gas: bigint
  /** In wei. A DELEGATECALL has its parent frame's value, a STATICCALL none. */
  value?: bigint
}

/** The end of a frame. */
export interface FrameEnd {
  depth: number
  /** Return data, revert data, or the created code. */
  output: Uint8Array
  gasUsed: bigint
  /** geth's error message (core/vm/errors.go); absent on success. */
  failure?: string
}

/** An opcode before it runs, with its cost. Its references are only valid during the call. */
export interface Step {
  /** The frame: stack, memory, program counter and opcode. */
  runState: RunState
  /** Gas before the opcode. */
  gas: bigint
  /** Gas of the opcode, including what it passes to a call. */
  cost: bigint
  /** Gas passed to a creation, which geth does not count as a cost of the opcode, but revm does. */
  creationGas?: bigint
  /** Words of memory before the opcode expands it. */
  memoryWords: number
  /** geth's message if the opcode lacks gas or stack items, and so does not run. */
  failure?: string
}

/** Reads the state that a traced execution changes. */
export interface TracedState {
  readAccount(
    address: Uint8Array,
  ): Awaitable<{ nonce: bigint; balance: bigint; codeHash: Uint8Array } | undefined>
  /** Empty if there is none. */
  readCode(address: Uint8Array): Awaitable<Uint8Array>
  /** Returns the value of a 32-byte slot, without leading zeros. */
  readStorage(address: Uint8Array, slot: Uint8Array): Awaitable<Uint8Array>
}

/** The transaction or call about to be executed. */
export interface TracedMessage {
  /** 20 bytes. */
  from: Uint8Array
  /** 20 bytes; absent for a creation. */
  to: Uint8Array | undefined
  gasLimit: bigint
  /** Wei per gas for the beneficiary of the block. */
  gasTip: bigint
  blockNumber: bigint
  authorizations: readonly Authorization[]
  /** Beneficiary of the block, 20 bytes. */
  coinbase: Uint8Array
  state: TracedState
  /** Number of logs in the block before this transaction. */
  firstLogIndex: number
  /** Precompiles by address: 40 lower-case hexadecimal digits. */
  precompiles: ReadonlySet<string>
}

/** Receives the events of an execution (geth: core/tracing, Hooks). Hooks left out cost nothing. */
export interface ExecutionTracer {
  /** Why the tracer has no result; undefined while it may have one. Absent if the tracer itself cannot fail. */
  readonly failure?: string | undefined
  /** Called before anything is changed. */
  begin?(message: TracedMessage): Awaitable<void>
  enter?(frame: FrameStart): Awaitable<void>
  exit?(end: FrameEnd): Awaitable<void>
  step?(step: Step): Promise<void> | undefined
  /** Called when an opcode reported as a step has failed or reverted, with geth's message. */
  fault?(step: Step, failure: string): Awaitable<void>
  log?(log: ExecutionLog): void
  /** Called with gas refunded independently of the code: for authorities that already existed (EIP-7702). */
  refund?(gas: bigint): void
  /** Called now and then while opcodes run. What it throws aborts the execution. */
  tick?(): void
  /** Called once fees are paid and destroyed accounts are gone. @param gasUsed - after refunds */
  end?(gasUsed: bigint): Awaitable<void>
}

/** Combines tracers, called in order. It observes steps only if one of them does. */
export function combineTracers(tracers: readonly ExecutionTracer[]): ExecutionTracer {
  const [first] = tracers
  if (first !== undefined && tracers.length === 1) return first
  const stepping = tracers.filter(({ step }) => step !== undefined)
  return {
    get failure() {
      return tracers.map(({ failure }) => failure).find((failure) => failure !== undefined)
    },
    begin: async (message) => {
      for (const tracer of tracers) await tracer.begin?.(message)
    },
    enter: (frame) => callEach(tracers, (tracer) => tracer.enter?.(frame)),
    exit: (end) => callEach(tracers, (tracer) => tracer.exit?.(end)),
    fault: (step, failure) => callEach(tracers, (tracer) => tracer.fault?.(step, failure)),
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
      step: (step) => callEach(stepping, (tracer) => tracer.step?.(step)),
    }),
  }
}

/** Calls a hook of each tracer. Returns a promise only if one of them did. */
function callEach(
  tracers: readonly ExecutionTracer[],
  call: (tracer: ExecutionTracer) => Awaitable<void>,
): Promise<void> | undefined {
  const pending: Promise<void>[] = []
  try {
    for (const tracer of tracers) {
      const answer = call(tracer)
      if (answer instanceof Promise) pending.push(answer)
    }
  } catch (error) {
    // This error ends the trace. Earlier tracers may reject for the same reason, and nobody awaits them any more.
    for (const answer of pending) answer.catch(() => undefined)
    throw error
  }
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
}
