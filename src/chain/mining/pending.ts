import type { SealedBlock } from '../block/record.js'
import type { StateView } from '../types.js'

/** The block that would be mined now: executed, but neither sealed nor stored. */
export interface PendingBlock {
  /** As it would be stored; its hash is provisional. */
  block: SealedBlock
  /** The state after it. */
  state: StateView
}
