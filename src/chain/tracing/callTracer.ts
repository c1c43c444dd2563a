import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { LargeMap } from '../../encoding/largeMap.js'
import { REVERTED, decodeRevertReason } from '../evm/revertReason.js'
import { NO_BYTES } from '../state/account.js'
import type { ExecutionLog } from '../types.js'
import type { TraceBudget } from './budget.js'
import type { ExecutionTracer, FrameEnd, FrameStart, TracedMessage } from './tracer.js'

/** A log within its frame. */
export interface CallLog extends ExecutionLog {
  /** Index in the block. */
  index: number
  /** Number of subcalls that the frame had started before it. */
  position: number
}

/** A frame with its subcalls. All frames have all members, so that large numbers of them take little memory. */
export interface CallFrame extends Omit<FrameStart, 'value'> {
  value: bigint | undefined
  gasUsed: bigint
  /** Absent if empty, and if the frame failed other than by a revert. */
  output: Uint8Array | undefined
  failure: string | undefined
  /** The decoded reason of a revert. */
  revertReason: string | undefined
  calls: CallFrame[]
  logs: CallLog[]
}

/** Options for a call tracer. */
export interface CallTracerOptions {
  onlyTopCall?: boolean
  withLog?: boolean
  /** Whether to leave out calls to precompiles, like Parity. */
  skipPrecompiles?: boolean
  /** Whether the outermost frame begins with the gas left after intrinsic gas, like Parity, rather than the limit. */
  gasAfterIntrinsic?: boolean
  /** Whether the outermost frame uses only the gas of its code, like Parity: without intrinsic gas and refunds. */
  gasUsedByCode?: boolean
  /** Approximate text length of a frame without its data, if it differs from callTracer's. */
  frameBytes?: number
}

/** Shared empty list of frames without entries; a real list is created on the first entry. */
const NONE: never[] = []
const SELECTOR_LENGTH = 4
/** Approximate text length of a count without its name. */
const COUNT_BYTES = 8
/** Approximate text length of a frame or log without its data. */
const FRAME_BYTES = 320

/** Collects the frames of an execution (geth: eth/tracers/native/call.go). */
export class CallTracer implements ExecutionTracer {
  readonly #options: CallTracerOptions
  readonly #budget: TraceBudget
  /** The open frames, outermost first. */
  readonly #open: CallFrame[] = []
  /** Number of logs in the block at the start of each open frame. */
  readonly #logsBefore: number[] = []
  readonly #addresses = new Map<string, Uint8Array>()
  #message: Pick<TracedMessage, 'gasLimit' | 'precompiles'> | undefined
  #depth = 0
  #nextLog = 0
  #top: CallFrame | undefined

  constructor(options: CallTracerOptions, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
  }

  /** The outermost frame, once the execution is over. */
  get result(): CallFrame {
    if (this.#top === undefined) throw new Error('nothing was traced')
    return this.#top
  }

  /** The innermost open frame. */
  get current(): CallFrame | undefined {
    return this.#open.at(-1)
  }

  begin(message: TracedMessage): void {
    this.#message = message
    this.#nextLog = message.firstLogIndex
  }

  enter(frame: FrameStart): void {
    this.#depth = frame.depth
    this.#logsBefore.push(this.#nextLog)
    if (this.#options.onlyTopCall === true && frame.depth > 0) return
    const { input, from, to, depth, type, value } = frame
    this.#budget.spend((this.#options.frameBytes ?? FRAME_BYTES) + 2 * input.length)
    const showsLimit = depth === 0 && this.#options.gasAfterIntrinsic !== true
    const gas = (showsLimit ? this.#message?.gasLimit : undefined) ?? frame.gas
    this.#open.push({
      type,
      depth,
      from: this.#keep(from),
      to: this.#keep(to),
      input: input.length === 0 ? NO_BYTES : input.slice(),
      gas,
      value,
      gasUsed: 0n,
      output: undefined,
      failure: undefined,
      revertReason: undefined,
      calls: NONE,
      logs: NONE,
    })
  }

  exit({ depth, output, gasUsed, failure }: FrameEnd): void {
    this.#depth = depth - 1
    const logsBefore = this.#logsBefore.pop()
    if (failure !== undefined && logsBefore !== undefined) this.#nextLog = logsBefore
    if (this.#options.onlyTopCall === true && depth > 0) return
    const frame = this.#open.pop()
    if (frame === undefined) return
    frame.gasUsed = gasUsed
    this.#setOutcome(frame, output, failure)
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#top = frame
    else if (this.#isSkipped(frame)) return
    else if (parent.calls === NONE) parent.calls = [frame]
    else parent.calls.push(frame)
  }

  log(log: ExecutionLog): void {
    const index = this.#nextLog++
    if (this.#options.withLog !== true) return
    if (this.#options.onlyTopCall === true && this.#depth > 0) return
    const frame = this.#open.at(-1)
    if (frame === undefined) return
    this.#budget.spend(FRAME_BYTES + 2 * log.data.length)
    const { address, topics, data } = log
    const kept = { address, topics, data: data.slice(), index, position: frame.calls.length }
    if (frame.logs === NONE) frame.logs = [kept]
    else frame.logs.push(kept)
  }

  end(gasUsed: bigint): void {
    if (this.#top === undefined) return
    if (this.#options.gasUsedByCode !== true) this.#top.gasUsed = gasUsed
    dropFailedLogs(this.#top)
  }

  /** Deduplicates addresses between frames, of which there may be very many. */
  #keep(address: Uint8Array): Uint8Array {
    const key = bytesToPlainHex(address)
    const known = this.#addresses.get(key) ?? address.slice()
    this.#addresses.set(key, known)
    return known
  }

  #setOutcome(frame: CallFrame, output: Uint8Array, failure: string | undefined): void {
    frame.failure = failure
    if (output.length === 0 || (failure !== undefined && failure !== REVERTED)) return
    this.#budget.spend(2 * output.length)
    frame.output = output.slice()
    if (failure === undefined || output.length < SELECTOR_LENGTH) return
    frame.revertReason = decodeRevertReason(output)
  }

  #isSkipped({ type, to }: CallFrame): boolean {
    if (this.#options.skipPrecompiles !== true || (type !== 'CALL' && type !== 'STATICCALL')) return false
    return this.#message?.precompiles.has(bytesToPlainHex(to)) === true
  }
}

/** Removes the logs of failed frames and of everything within them. */
function dropFailedLogs(frame: CallFrame): void {
  if (frame.failure !== undefined) dropLogs(frame)
  else for (const call of frame.calls) dropFailedLogs(call)
}

function dropLogs(frame: CallFrame): void {
  frame.logs = NONE
  for (const call of frame.calls) dropLogs(call)
}

const calls: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Counts the called function selectors, each with the length of its arguments (geth: native/4byte.go). */
export class FourByteTracer implements ExecutionTracer {
  /** By selector and number of bytes after it: `0x27dc297e-128`. */
  readonly counts = new LargeMap<number>()
  readonly #budget: TraceBudget
  #precompiles: ReadonlySet<string> = new Set()

  constructor(budget: TraceBudget) {
    this.#budget = budget
  }

  begin({ precompiles }: TracedMessage): void {
    this.#precompiles = precompiles
  }

  enter({ type, to, input }: FrameStart): void {
    if (input.length < SELECTOR_LENGTH || !calls.has(type) || this.#precompiles.has(bytesToPlainHex(to)))
      return
    const key = `${bytesToHex(input.subarray(0, SELECTOR_LENGTH))}-${input.length - SELECTOR_LENGTH}`
    const count = this.counts.get(key) ?? 0
    if (count === 0) this.#budget.spend(key.length + COUNT_BYTES)
    this.counts.set(key, count + 1)
  }
}
