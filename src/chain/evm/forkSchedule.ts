import { DEPOSIT_CONTRACT_ADDRESS } from '../genesis/systemContracts.js'
import type { ForkRules, HeaderFields } from '../types.js'
import type { Hardfork } from './hardforks.js'
import { createRules, type BlobSchedule, type RulesOptions } from './rules.js'

/**
 * From where on a fork is in force: from a block number; from the first block without proof of work, which stands on a
 * total difficulty of at least so much (EIP-3675); or since Shanghai from a timestamp (seconds).
 */
export type ForkStart = { block: bigint } | { totalDifficulty: bigint } | { timestamp: bigint }

/** A fork of a chain. */
export interface ForkActivation {
  hardfork: Hardfork
  from: ForkStart
  blobSchedule?: BlobSchedule | undefined
}

/** A header as far as it decides about the rules; a block without a difficulty is one to come, of difficulty zero. */
export type RulesPlace = Pick<HeaderFields, 'number' | 'timestamp'> &
  Partial<Pick<HeaderFields, 'difficulty'>>

/** Which rules hold at which block, and what else a chain decides about its protocol. */
export interface ForkSchedule {
  /** In the order in which they come into force; the first holds from the genesis on. */
  readonly activations: readonly ForkActivation[]
  /**
   * Whether blocks before the merge carry proof of work and are rewarded. On own chains no block does: their
   * difficulty is zero under all forks.
   */
  readonly proofOfWork: boolean
  /** Whether Osaka caps a transaction's gas at 2^24 (EIP-7825). */
  readonly transactionGasLimitCap: boolean
  /** 20 bytes (EIP-6110). */
  readonly depositContract: Uint8Array
  rulesAt(place: RulesPlace): ForkRules
  /** The rules of one of the activations. */
  rulesOf(activation: ForkActivation): ForkRules
  /** The same forks at the same places, with something else about all of them. */
  with(changes: ScheduleChanges): ForkSchedule
}

/** What holds under all forks of a schedule. */
export type ScheduleChanges = Partial<
  Pick<ScheduleOptions, 'chainId' | 'codeSizeLimit' | 'recoveries' | 'isFork'>
>

/** What a schedule is made from besides its forks. */
export interface ScheduleOptions extends Omit<RulesOptions, 'hardfork' | 'blobSchedule'> {
  proofOfWork?: boolean
  /** 20 bytes; the main network's unless given. */
  depositContract?: Uint8Array
}

/**
 * The schedule of a chain. The rules of a fork are made when they are first asked for.
 *
 * @param activations - in the order in which they come into force; the first holds from the genesis on
 */
export function createForkSchedule(
  activations: readonly [ForkActivation, ...ForkActivation[]],
  options: ScheduleOptions,
): ForkSchedule {
  const { transactionGasLimitCap = false, proofOfWork = false } = options
  const made = new Map<ForkActivation, ForkRules>()
  const rulesOf = (activation: ForkActivation): ForkRules => {
    const { hardfork, blobSchedule } = activation
    const rules = made.get(activation) ?? createRules({ ...options, hardfork, blobSchedule })
    made.set(activation, rules)
    return rules
  }
  // The fork that only splits the network has no rules of its own, and may come before the merge itself.
  const [first, ...later] = activations
  const steps = later.filter(({ hardfork }) => hardfork !== 'mergeNetsplitBlock')
  return {
    activations,
    proofOfWork,
    transactionGasLimitCap,
    depositContract: options.depositContract ?? DEPOSIT_CONTRACT_ADDRESS,
    rulesOf,
    with: (changes) => createForkSchedule(activations, { ...options, ...changes }),
    rulesAt: (place) => {
      let current = first
      for (const step of steps) {
        if (!isInForce(step.from, place)) break
        current = step
      }
      return rulesOf(current)
    },
  }
}

function isInForce(from: ForkStart, { number, timestamp, difficulty = 0n }: RulesPlace): boolean {
  if ('block' in from) return from.block <= number
  return 'timestamp' in from ? from.timestamp <= timestamp : difficulty === 0n
}

/** The schedule of an own chain: one fork from the genesis on. */
export function createSingleForkSchedule(options: RulesOptions): ForkSchedule {
  const { hardfork, ...rest } = options
  return createForkSchedule([{ hardfork, from: { block: 0n } }], rest)
}
