import type { RunState } from './internals.js'

/** EIP-2200: SSTORE wants more than this left. */
const SSTORE_SENTRY = 2_300n
/** What a call with value gets on top of its gas. */
const CALL_STIPEND = 2_300n
const SSTORE = 0x55
/**
 * What sees the gas that is left or hands a part of it on, and what sees a balance, which may be that of who has paid for
 * the gas: BALANCE, SELFBALANCE, GAS, creations, calls, SELFDESTRUCT.
 */
const gasDependent: ReadonlySet<number> = new Set([
  ...[0x31, 0x47, 0x5a],
  ...[0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xff],
])

interface MeasuredFrame {
  runState: RunState
  /** Gas that the frame began with. */
  gasLimit: bigint
  /** The most that had to be there so far. */
  peak: bigint
}

/**
 * Finds the least gas with which an execution goes the way it went.
 *
 * That is more than the gas it used: a call gets at most 63/64 of what is left (EIP-150), so that each level of calls
 * needs some gas that it does not use. What depends on the gas that is left (GAS, or a call that runs out) is not seen;
 * where there may be such a thing, the result is to be proven by a run.
 */
export class PeakGas {
  readonly #frames: MeasuredFrame[] = []
  /** The least gas of the frame that ended last. */
  #ended = 0n
  #isExact = true

  /**
   * Whether the execution goes the same way with any gas that is at least its peak: it neither looked at what is left nor
   * handed a part of it on, so that there is nothing to prove.
   */
  get isExact(): boolean {
    return this.#isExact
  }

  /** A frame begins. */
  enter(runState: RunState): void {
    this.#frames.push({ runState, gasLimit: runState.gasLeft, peak: 0n })
  }

  /** The innermost frame ends. */
  leave(gasUsed: bigint): void {
    const peak = this.#frames.pop()?.peak ?? 0n
    this.#ended = peak > gasUsed ? peak : gasUsed
  }

  /** Sees an opcode of the innermost frame before it runs. */
  observe(opcode: number, { gasLeft }: RunState): void {
    if (opcode === SSTORE) this.#need(gasLeft, SSTORE_SENTRY + 1n)
    else if (gasDependent.has(opcode)) this.#isExact = false
  }

  /** A message without code begins. */
  beginMessage(): void {
    this.#ended = 0n
  }

  /**
   * A message within the innermost frame is over.
   *
   * @param gasUsed - with what is paid for the code of a creation
   */
  endMessage(gasUsed: bigint, withStipend: boolean): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return
    let least = this.#ended > gasUsed ? this.#ended : gasUsed
    let { gasLeft } = frame.runState
    if (withStipend) {
      least -= CALL_STIPEND
      gasLeft -= CALL_STIPEND
    }
    if (least > 0n) this.#need(gasLeft, leastBeforeCall(least))
  }

  /** The least gas of the outermost frame, without what is paid before it. */
  total(gasUsed: bigint): bigint {
    return this.#ended > gasUsed ? this.#ended : gasUsed
  }

  /** Where a frame has this much left, it needs that much. */
  #need(gasLeft: bigint, amount: bigint): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return
    const peak = frame.gasLimit - gasLeft + amount
    if (peak > frame.peak) frame.peak = peak
  }
}

/** The least gas of which all but one 64th is at least `gas` (EIP-150). */
function leastBeforeCall(gas: bigint): bigint {
  return gas + (gas - 1n) / 63n
}
