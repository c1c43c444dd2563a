import { decodeRevertReason } from '../chain/execution/revertReason.js'
import { bytesToHex } from '../encoding/hex.js'
import type { Contracts } from './contracts.js'

const REVERTED = 'execution reverted'

/** Why an execution failed, for a developer to read: the reason of a revert, the meaning of a panic, a known error. */
export function describeFailure(
  { failure, output }: { failure: string; output: Uint8Array },
  contracts: Contracts,
): string {
  if (failure !== REVERTED) return failure
  if (output.length === 0) return 'reverted without a reason'
  const reason = decodeRevertReason(output) ?? contracts.describeError(output)
  return `reverted with ${reason ?? `the data ${bytesToHex(output)}`}`
}
