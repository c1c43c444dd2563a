import { paramsBlock } from '@ethereumjs/block'
import { Common, type CommonOpts, type HardforksDict } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import { paramsVM } from '@ethereumjs/vm'
import { customCrypto } from '../crypto.js'
import { kzg } from '../kzg.js'
import type { ForkRules, HeaderFields } from '../types.js'

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

/** What the rules of one fork are made from. */
export interface RulesOptions {
  chainId: bigint
  hardfork: Hardfork
  /** Whether Osaka caps a transaction's gas at 2^24 (EIP-7825). */
  transactionGasLimitCap?: boolean
}

/**
 * The rules of one fork.
 *
 * ethereumjs copies a Common for every transaction and merges the parameters of each library into the copy. Here
 * all parameters are merged once and the one instance is shared by everything that runs under the fork.
 */
class SharedRules extends Common {
  private sealed = false

  constructor(options: CommonOpts) {
    super(options)
    for (const params of [paramsBlock, paramsTx, paramsEVM, paramsVM]) this.updateParams(params)
    this.sealed = true
  }

  override copy(): this {
    return this
  }

  override updateParams(params: Parameters<Common['updateParams']>[0]): void {
    if (!this.sealed) super.updateParams(params)
  }

  override setHardfork(hardfork: string): void {
    if (this.sealed && hardfork !== this.hardfork()) {
      throw new Error(`these rules are those of ${this.hardfork()}, they cannot turn into ${hardfork}`)
    }
    super.setHardfork(hardfork)
  }
}

/**
 * EIPs of Osaka. @ethereumjs/common 10.1 leaves out EIP-7934 (block size); EIP-7825 (gas of a transaction) stands
 * in the way of tests with large transactions and is only in force where it is asked for.
 */
function osakaEips(transactionGasLimitCap: boolean): number[] {
  const eips = [7594, 7823, 7883, 7892, 7939, 7951, 7918, 7934]
  return transactionGasLimitCap ? [...eips, 7825] : eips
}

/** The rules of one fork on a chain; make them once and share them. */
export function createRules(options: RulesOptions): ForkRules {
  const { chainId, hardfork, transactionGasLimitCap = false } = options
  const customHardforks: HardforksDict = { osaka: { eips: osakaEips(transactionGasLimitCap) } }
  return new SharedRules({
    chain: {
      name: 'standin',
      chainId: chainId.toString(),
      defaultHardfork: hardfork,
      consensus: { type: 'pow', algorithm: 'ethash', ethash: {} },
      genesis: { gasLimit: 0, difficulty: 0, nonce: '0x0000000000000000', extraData: '0x' },
      hardforks: hardforks.map((name) => ({ name, block: 0 })),
      customHardforks,
      bootstrapNodes: [],
    },
    hardfork,
    customCrypto: { ...customCrypto, kzg },
  })
}

/** From where on a fork is in force: from a block number, or since Shanghai from a timestamp (seconds). */
export interface ForkActivation {
  hardfork: Hardfork
  from: { block: bigint } | { timestamp: bigint }
}

/** Which rules hold at which block. */
export interface ForkSchedule {
  rulesAt(header: Pick<HeaderFields, 'number' | 'timestamp'>): ForkRules
}

/**
 * The schedule of a chain.
 *
 * @param activations - in the order in which they come into force; the first holds from the genesis on
 */
export function createForkSchedule(
  activations: readonly ForkActivation[],
  options: Omit<RulesOptions, 'hardfork'>,
): ForkSchedule {
  const steps = activations.map(({ hardfork, from }) => ({
    from,
    rules: createRules({ ...options, hardfork }),
  }))
  const [first] = steps
  if (first === undefined) throw new Error('a fork schedule has at least one fork')
  const newestFirst = steps.toReversed()
  return {
    rulesAt: ({ number, timestamp }) => {
      const step = newestFirst.find(({ from }) =>
        'block' in from ? from.block <= number : from.timestamp <= timestamp,
      )
      return (step ?? first).rules
    },
  }
}

/** The schedule of an own chain: one fork from the genesis on. */
export function createSingleForkSchedule(options: RulesOptions): ForkSchedule {
  const { hardfork, ...rest } = options
  return createForkSchedule([{ hardfork, from: { block: 0n } }], rest)
}
