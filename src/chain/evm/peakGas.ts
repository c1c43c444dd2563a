import { CALL_STIPEND, SSTORE_SENTRY_GAS } from './forkSchedule.js'
import type { RunState } from './internals.js'

const SSTORE = 0x55
/**
 * Opcodes that read the remaining gas or pass some of it on, or that read a balance, which may be that of the gas
 * payer: BALANCE, SELFBALANCE, GAS, creations, calls, SELFDESTRUCT.
 */
const gasDependent: ReadonlySet<number> = new Set([
  ...[0x31, 0x47, 0x5a],
  ...[0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa, 0xff],
])

interface MeasuredFrame {
  runState: RunState
  /** Gas at the start of the frame. */
  gasLimit: bigint
  /** Maximum gas required so far. */
  peak: bigint
}

/**
 * Finds the minimum gas with which an execution takes the same path.
 *
 * It exceeds the gas used: a call gets at most 63/64 of the remaining gas (EIP-150), so each call level needs some gas
 * that it does not use. Dependence on the remaining gas (GAS, or a call that runs out) goes unnoticed; where it is
 * possible, confirm the result by a run.
 */
export class PeakGas {
  readonly #frames: MeasuredFrame[] = []
  /** Minimum gas of the frame that ended last. */
  #ended = 0n
  #isExact = true

  /**
   * Whether the execution takes the same path with any gas of at least the peak: it neither read the remaining gas nor
   * passed some of it on, so there is nothing to confirm.
   */
  get isExact(): boolean {
    return this.#isExact
  }

  /** Records the start of a frame. */
  enter(runState: RunState): void {
    this.#frames.push({ runState, gasLimit: runState.gasLeft, peak: 0n })
  }

  /** Records the end of the innermost frame. */
  leave(gasUsed: bigint): void {
    const peak = this.#frames.pop()?.peak ?? 0n
    this.#ended = peak > gasUsed ? peak : gasUsed
  }

  /** Observes an opcode of the innermost frame before it runs. */
  observe(opcode: number, { gasLeft, stack }: RunState): void {
    if (opcode === SSTORE && stack.length > 1) this.#need(gasLeft, SSTORE_SENTRY_GAS + 1n)
    else if (gasDependent.has(opcode)) this.#isExact = false
  }

  /** Records the start of a message without code. */
  beginMessage(): void {
    this.#ended = 0n
  }

  /**
   * Records the end of a message within the innermost frame.
   *
   * @param gasUsed - includes the payment for created code
   */
  endMessage(gasUsed: bigint, { withStipend }: { withStipend: boolean }): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return
    let least = this.#ended > gasUsed ? this.#ended : gasUsed
    let { gasLeft } = frame.runState
    if (withStipend) {
      least -= CALL_STIPEND
      gasLeft -= CALL_STIPEND
    }
    if (least > 0n) this.#need(gasLeft, minimumGasBeforeCall(least))
  }

  /** Returns the minimum gas of the outermost frame, without the intrinsic gas. */
  total(gasUsed: bigint): bigint {
    return this.#ended > gasUsed ? this.#ended : gasUsed
  }

  /** Records that a frame needs `amount` at the point where it has `gasLeft`. */
  #need(gasLeft: bigint, amount: bigint): void {
    const frame = this.#frames.at(-1)
    if (frame === undefined) return
    const peak = frame.gasLimit - gasLeft + amount
    if (peak > frame.peak) frame.peak = peak
  }
}

/** Returns the minimum gas of which all but 1/64 is at least `gas` (EIP-150). */
function minimumGasBeforeCall(gas: bigint): bigint {
  return gas + (gas - 1n) / 63n
}
