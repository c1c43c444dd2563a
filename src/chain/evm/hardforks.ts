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
