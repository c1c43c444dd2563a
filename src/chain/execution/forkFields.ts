import { ChainError } from '../errors.js'
import type { ForkRules } from '../types.js'
import type { CallObject } from './callObject.js'

/** The fields of calls that a fork brought, and the EIP that did. */
const fieldForks = [
  ['accessList', 2930, 'Berlin'],
  ['blobVersionedHashes', 4844, 'Cancun'],
  ['authorizationList', 7702, 'Prague'],
] as const

/**
 * Checks that the rules know what a call brings. geth leaves an unknown list out in silence; whoever sends one to a
 * chain before its fork had rather hear of it.
 *
 * @throws ChainError that names the field and its fork
 */
export function checkForkFields(call: CallObject, rules: ForkRules): void {
  for (const [field, eip, fork] of fieldForks) {
    if (call[field] === undefined || rules.isActivatedEIP(eip)) continue
    throw new ChainError(`${field} is not valid before ${fork} is active`)
  }
}
