import type { CallObject } from '../../chain/execution/callObject.js'
import { bytesEqual } from '../../encoding/hex.js'
import { ServerError } from '../errors.js'
import type { CallArguments } from '../params/callObject.js'

/**
 * A call object that a transaction is made from.
 *
 * @throws ServerError in geth's words (internal/ethapi/transaction_args.go, setDefaults) if its data is ambiguous or
 *   it brings blobs.
 */
export function transactionRequest(given: CallArguments): CallObject {
  const { input, data, blobs, commitments: _commitments, proofs: _proofs, ...call } = given
  if (blobs !== undefined) throw new ServerError('"blobs" is not supported for this RPC method')
  if (input !== undefined && data !== undefined && !bytesEqual(input, data)) {
    throw new ServerError(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  return { ...call, data: input ?? data }
}
