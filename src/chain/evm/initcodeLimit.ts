import { EVMError } from '@ethereumjs/evm'
import type { ForkRules } from '../types.js'
import { maxInitcodeSize } from '../vm/preCheck.js'
import { type OpcodeEntry, stackItem } from './internals.js'

/**
 * Makes CREATE or CREATE2 fail because of its initcode's size (EIP-3860) while its price is computed, as in geth
 * (core/vm/gas_table.go). The library checks it after the payment, with the stack items gone.
 */
export function withInitcodeLimit(entry: OpcodeEntry, rules: ForkRules): OpcodeEntry {
  const limit = maxInitcodeSize(rules)
  if (limit === undefined) return entry
  const gasHandler: OpcodeEntry['gasHandler'] = async (runState, ...rest) => {
    const gas = await entry.gasHandler(runState, ...rest)
    if (stackItem(runState.stack, 2) <= limit) return gas
    throw new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION)
  }
  return { ...entry, gasHandler }
}
