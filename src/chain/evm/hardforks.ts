import { ChainError } from '../errors.js'
import type { ForkRules } from '../types.js'
import type { CallObject } from '../calls/callObject.js'

/** The forks that a chain can run under, in their order on the main network. */
export const hardforks = [
  'chainstart',
  'homestead',
  'dao',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
  'arrowGlacier',
  'grayGlacier',
  'paris',
  'mergeNetsplitBlock',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'bpo1',
  'bpo2',
  'bpo3',
  'bpo4',
  'bpo5',
] as const

/** The name of a fork. */
export type Hardfork = (typeof hardforks)[number]

/** The fork of own chains unless another one is asked for. */
export const DEFAULT_HARDFORK: Hardfork = 'osaka'

/** Names that other development nodes and the specifications use. */
const aliases: Readonly<Record<string, Hardfork>> = {
  frontier: 'chainstart',
  tangerine: 'tangerineWhistle',
  eip150: 'tangerineWhistle',
  eip158: 'spuriousDragon',
  constantinoplefix: 'petersburg',
  merge: 'paris',
  latest: DEFAULT_HARDFORK,
}

/**
 * The fork that a name on the command line means; case, spaces, dashes and underscores do not matter.
 *
 * @returns undefined if no fork has that name
 */
export function parseHardfork(name: string): Hardfork | undefined {
  const plain = name.toLowerCase().replaceAll(/[-_ ]/g, '')
  return aliases[plain] ?? hardforks.find((hardfork) => hardfork.toLowerCase() === plain)
}

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
