import type { ExecutionLog } from '../types.js'

/** How the outermost frame failed. */
export interface MessageFailure {
  kind: 'revert' | 'outOfGas' | 'other'
  /** As geth has it (core/vm/errors.go). */
  words: string
}

/** What a message did. */
export interface MessageResult {
  /** Gas that was paid for, after refunds. */
  gasUsed: bigint
  /** Gas that had to be there, before refunds. */
  maxGasUsed: bigint
  /** Gas that the code took, without what is paid before its first opcode and before refunds. */
  executionGasUsed: bigint
  /** What the code returned, or reverted with. */
  returnData: Uint8Array
  logs: ExecutionLog[]
  /** Absent on success. */
  failure?: MessageFailure
}
