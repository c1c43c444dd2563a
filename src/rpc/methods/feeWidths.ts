import { quantity } from '../../encoding/quantity.js'
import { InvalidParamsError } from '../errors.js'
import type { CompatibilityProfile } from '../compatibility.js'
import type { CallArguments } from '../params/callObject.js'

const WIDEST = 2n ** 128n - 1n

/**
 * Anvil holds wei per gas in 128 bits (alloy: TransactionRequest).
 *
 * @throws InvalidParamsError in its words if a fee has more, where the node stands in for anvil.
 */
export function checkFeeWidths(call: CallArguments, { limitsFeesTo128Bits }: CompatibilityProfile): void {
  if (!limitsFeesTo128Bits) return
  for (const fee of [call.gasPrice, call.maxFeePerGas, call.maxPriorityFeePerGas, call.maxFeePerBlobGas]) {
    if (fee === undefined || fee <= WIDEST) continue
    throw new InvalidParamsError(`invalid value: string "${quantity(fee)}", expected a 16 byte hex string`)
  }
}
