import { ChainError, type RejectionReason } from '../../errors.js'

/** Why blocks cannot be simulated. */
export type SimulationRefusal =
  | RejectionReason
  | 'emptyInput'
  | 'limit'
  | 'blockNumberOrder'
  | 'timestampOrder'
  | 'difficulty'
  | 'blockGasLimit'

/** Blocks that cannot be simulated, in geth's words (internal/ethapi/simulate.go, errors.go). */
export class SimulationError extends ChainError {
  override readonly name = 'SimulationError'
  readonly refusal: SimulationRefusal

  constructor(refusal: SimulationRefusal, words: string) {
    super(words)
    this.refusal = refusal
  }
}
