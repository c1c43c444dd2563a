import type { SealedBlock } from '../../block/record.js'
import { ChainError, type RejectionReason } from '../../errors.js'
import type { ExecutionLog, Withdrawal } from '../../types.js'
import type { BlockSelector, ChainView } from '../../view.js'
import type { BlockOverrides, Requester } from '../../vm/blockEnvironment.js'
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

/** Blocks that cannot be simulated, with geth's message (internal/ethapi/simulate.go, errors.go). */
export class SimulationError extends ChainError {
  override readonly name = 'SimulationError'
  readonly refusal: SimulationRefusal

  constructor(refusal: SimulationRefusal, message: string) {
    super(message)
    this.refusal = refusal
  }
}

/** Overrides of what a simulated block inherits from its parent. */
export interface SimulatedBlockOverrides extends BlockOverrides {
  /** The parent beacon block root, 32 bytes. */
  beaconRoot?: Uint8Array
  withdrawals?: readonly Withdrawal[]
}

/** A block to simulate. */
export interface BlockToSimulate {
  overrides: SimulatedBlockOverrides
  stateOverrides: readonly AccountOverride[]
  calls: readonly CallObject[]
}

/** A sequence of blocks to simulate. */
export interface SimulationRequest {
  view: ChainView
  /** The block to build on. */
  base: BlockSelector
  blocks: readonly BlockToSimulate[]
  /** Whether to fill skipped numbers with empty blocks; otherwise the next block builds on the previous one. */
  fillsGaps: boolean
  /** Whether to show ether transfers as logs. */
  traceTransfers: boolean
  /** Whether to check nonces and fees as in a real block. */
  validation: boolean
  requester?: Requester | undefined
}

/** A log with its index in the block. */
export interface SimulatedLog extends ExecutionLog {
  index: number
}

/** Result of a simulated call. */
export interface SimulatedCall {
  /** Return or revert data. */
  returnData: Uint8Array
  logs: readonly SimulatedLog[]
  gasUsed: bigint
  /** Gas required, before refunds. */
  maxGasUsed: bigint
  failure?: MessageFailure
  /** Whether the call got less gas than it requested. */
  isGasCapped: boolean
}

/** A simulated block, sealed like a real one, but with unsigned transactions. */
export interface SimulatedBlock {
  block: SealedBlock
  calls: readonly SimulatedCall[]
}
