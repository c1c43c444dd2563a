import type { SealedBlock } from '../../block/record.js'
import { ChainError, type RejectionReason } from '../../errors.js'
import type { ExecutionLog, Withdrawal } from '../../types.js'
import type { BlockSelector, ChainView } from '../../view.js'
import type { BlockOverrides } from '../../vm/blockEnvironment.js'
import type { MessageFailure } from '../../vm/runTransaction.js'
import type { CallObject } from '../callObject.js'
import type { AccountOverride } from '../overrides.js'

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

/** What a simulated block gets otherwise than from the block before it. */
export interface SimulatedBlockOverrides extends BlockOverrides {
  /** 32 bytes; the parent beacon block root. */
  beaconRoot?: Uint8Array
  withdrawals?: readonly Withdrawal[]
}

/** A block to simulate. */
export interface BlockToSimulate {
  overrides: SimulatedBlockOverrides
  stateOverrides: readonly AccountOverride[]
  calls: readonly CallObject[]
}

/** Blocks to simulate one after another. */
export interface SimulationRequest {
  view: ChainView
  /** The block that they come after. */
  base: BlockSelector
  blocks: readonly BlockToSimulate[]
  /** Whether empty blocks are put where numbers are left out; the next block follows on the last otherwise. */
  fillsGaps: boolean
  /** Whether transfers of ether are shown as logs. */
  traceTransfers: boolean
  /** Whether nonces and fees are checked as in a real block. */
  validation: boolean
}

/** A log with its index in the block. */
export interface SimulatedLog extends ExecutionLog {
  index: number
}

/** What a simulated call did. */
export interface SimulatedCall {
  /** What it returned or reverted with. */
  returnData: Uint8Array
  logs: readonly SimulatedLog[]
  gasUsed: bigint
  /** Gas that had to be there, before refunds. */
  maxGasUsed: bigint
  failure?: MessageFailure
  /** Whether the call got less gas than it asked for. */
  isGasCapped: boolean
}

/** A simulated block, sealed like a real one; its transactions are not signed. */
export interface SimulatedBlock {
  block: SealedBlock
  calls: readonly SimulatedCall[]
}
