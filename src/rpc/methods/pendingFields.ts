import type { PendingFields } from '../compatibility.js'
import type { Call } from '../method.js'

/**
 * Which members of the pending block are null: as it was set or as the node that is stood in for has it, and else by the
 * path. On `/v3/KEY` those of the provider's documentation; on the plain path geth's, because go-ethereum, alloy, cast,
 * ethers and web3j cannot read a block without hash and number.
 */
export function pendingFieldsOf({ backend, context }: Pick<Call, 'backend' | 'context'>): PendingFields {
  return backend.settings.pendingFields ?? (context.isPlainPath === true ? 'geth' : 'spec')
}
