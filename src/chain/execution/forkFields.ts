import { ChainError } from '../errors.js'
import type { ForkRules } from '../types.js'
import type { CallObject } from './callObject.js'

/** The fields of calls that a fork brought, the EIP that did, and how a refusal begins. */
const fieldForks = [
  ['accessList', 2930, 'accessList is not valid before Berlin'],
  ['maxFeePerGas', 1559, 'maxFeePerGas and maxPriorityFeePerGas are not valid before London'],
  ['maxPriorityFeePerGas', 1559, 'maxFeePerGas and maxPriorityFeePerGas are not valid before London'],
  ['blobVersionedHashes', 4844, 'blobVersionedHashes is not valid before Cancun'],
  ['authorizationList', 7702, 'authorizationList is not valid before Prague'],
] as const

/** Asked by name: members that are looked up one by one in a list take longer than most calls have any of them. */
function hasForkFields(call: CallObject): boolean {
  return (
    call.accessList !== undefined ||
    call.maxFeePerGas !== undefined ||
    call.maxPriorityFeePerGas !== undefined ||
    call.blobVersionedHashes !== undefined ||
    call.authorizationList !== undefined
  )
}

/**
 * Checks that the rules know what a call brings. geth leaves out of calls in silence what it does not; whoever sends
 * it to a chain before its fork had rather hear of it, as in hardhat.
 *
 * @throws ChainError that names the field and its fork
 */
export function checkForkFields(call: CallObject, rules: ForkRules): void {
  if (!hasForkFields(call)) return
  for (const [field, eip, words] of fieldForks) {
    if (call[field] === undefined || rules.isActivatedEIP(eip)) continue
    throw new ChainError(`${words} is active`)
  }
}
