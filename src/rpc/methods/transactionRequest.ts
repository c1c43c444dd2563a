import type { CallObject } from '../../chain/execution/callObject.js'
import { bytesEqual } from '../../encoding/hex.js'
import { ServerError } from '../errors.js'
import type { CompatibilityProfile } from '../compatibility.js'
import type { CallArguments } from '../params/callObject.js'
import { checkFeeWidths } from './feeWidths.js'

/**
 * A call object that a transaction is made from.
 *
 * @throws ServerError in geth's words (internal/ethapi/transaction_args.go, setDefaults) if its data is ambiguous or
 *   it brings blobs.
 * @throws InvalidParamsError if a fee is wider than anvil takes it, where the node stands in for anvil.
 */
export function transactionRequest(given: CallArguments, compatibility: CompatibilityProfile): CallObject {
  checkFeeWidths(given, compatibility)
  const { input, data, blobs, commitments: _commitments, proofs: _proofs, ...call } = given
  if (blobs !== undefined) throw new ServerError('"blobs" is not supported for this RPC method')
  if (input !== undefined && data !== undefined && !bytesEqual(input, data)) {
    throw new ServerError(
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  }
  return { ...call, data: input ?? data }
}
