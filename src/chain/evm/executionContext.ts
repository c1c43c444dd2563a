import type { WorkingState } from '../state/workingState.js'
import type { Awaitable, ForkRules } from '../types.js'
import type { BlockEnvironment } from '../vm/blockEnvironment.js'
import type { ConsoleListener } from '../calls/console.js'

/** What an execution works on. */
export interface ExecutionContext {
  rules: ForkRules
  state: WorkingState
  block: BlockEnvironment
  /** The 32-byte hash of an earlier block, for BLOCKHASH; undefined reads as zero. */
  blockHash: (number: bigint) => Awaitable<Uint8Array | undefined>
  /** Sees what contracts give to the console. */
  onConsole?: ConsoleListener | undefined
}
