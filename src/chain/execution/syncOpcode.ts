import type { DynamicGas } from './memoryGas.js'
import type { RunState } from './runState.js'
import type { Common } from '@ethereumjs/common'

/** An opcode that runs without a promise. */
export interface SyncOpcode {
  /** Gas that it always costs. */
  gas: number
  /** Gas that it costs besides. */
  dynamicGas: DynamicGas | undefined
  /** Whether it looks at the gas that is left, which is worked out for it then. */
  seesGas: boolean
  /** A promise only where the state is not at hand. */
  action: (runState: RunState, rules: Common) => unknown
}
