import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { decodeRevertReason } from '../evm/revertReason.js'
import type { ExecutionLog } from '../types.js'
import type { TraceBudget } from './budget.js'
import type { ExecutionTracer, FrameEnd, FrameStart, TracedMessage } from './tracer.js'

/** A log within its frame. */
export interface CallLog extends ExecutionLog {
  /** In the block. */
  index: number
  /** How many frames the frame had begun before it. */
  position: number
}

/** A frame with those within it. All have all members, so that very many of them take little memory. */
export interface CallFrame extends Omit<FrameStart, 'value'> {
  value: bigint | undefined
  gasUsed: bigint
  /** Absent where it is empty, and where the frame failed otherwise than by a revert. */
  output: Uint8Array | undefined
  failure: string | undefined
  /** What a revert said, as text. */
  revertReason: string | undefined
  calls: CallFrame[]
  logs: CallLog[]
}

/** What a call tracer collects. */
export interface CallTracerOptions {
  onlyTopCall?: boolean
  withLog?: boolean
  /** Whether calls to precompiles are left out, as Parity does. */
  skipPrecompiles?: boolean
  /**
   * Whether the outermost frame has the gas of its code alone, as Parity does: without the intrinsic gas that was paid
   * before it and the refunds behind it.
   */
  executionGas?: boolean
  /** About the text of a frame apart from its data, where it is another than callTracer's. */
  frameBytes?: number
}

const NO_BYTES = new Uint8Array(0)
/** The list of a frame that has none yet; lists are made when something comes into them. */
const NONE: never[] = []
const REVERTED = 'execution reverted'
const SELECTOR_LENGTH = 4
/** About the text of a frame or log apart from its data. */
const FRAME_BYTES = 320

/** Collects the frames of an execution (geth: eth/tracers/native/call.go). */
export class CallTracer implements ExecutionTracer {
  readonly #options: CallTracerOptions
  readonly #budget: TraceBudget
  /** The frames that are open, the outermost first. */
  readonly #open: CallFrame[] = []
  /** How many logs of the block there were when each open frame began. */
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

  /** The innermost frame that is open. */
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
    const showsLimit = depth === 0 && this.#options.executionGas !== true
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
    if (this.#options.executionGas !== true) this.#top.gasUsed = gasUsed
    dropFailedLogs(this.#top, false)
  }

  /** The same bytes for the same address in all frames: there may be very many. */
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

/** A frame that failed has left no logs, and neither have those within it. */
function dropFailedLogs(frame: CallFrame, isWithinFailed: boolean): void {
  const failed = isWithinFailed || frame.failure !== undefined
  if (failed) frame.logs = NONE
  for (const call of frame.calls) dropFailedLogs(call, failed)
}

const calls: ReadonlySet<string> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** Counts the function selectors that were called, each with the length of its arguments (geth: native/4byte.go). */
export class FourByteTracer implements ExecutionTracer {
  /** By selector and number of bytes behind it: `0x27dc297e-128`. */
  readonly counts = new Map<string, number>()
  #precompiles: ReadonlySet<string> = new Set()

  begin({ precompiles }: TracedMessage): void {
    this.#precompiles = precompiles
  }

  enter({ type, to, input }: FrameStart): void {
    if (input.length < SELECTOR_LENGTH || !calls.has(type) || this.#precompiles.has(bytesToPlainHex(to)))
      return
    const key = `${bytesToHex(input.subarray(0, SELECTOR_LENGTH))}-${input.length - SELECTOR_LENGTH}`
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }
}
