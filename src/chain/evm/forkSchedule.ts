import { paramsBlock } from '@ethereumjs/block'
import { Common, type CommonOpts, type HardforksDict } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import { paramsVM } from '@ethereumjs/vm'
import { GAS_PER_BLOB } from '../block/header.js'
import { customCrypto } from '../crypto.js'
import { kzg } from '../crypto/outcome.js'
import { DEPOSIT_CONTRACT_ADDRESS } from '../genesis/systemContracts.js'
import type { ForkRules, HeaderFields } from '../types.js'
import type { SignatureRecoveries } from './signatureRecoveries.js'

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

/** A fork schedule that can be changed while the chain runs. */
export class MovableSchedule implements ForkSchedule {
  #current: ForkSchedule

  constructor(schedule: ForkSchedule) {
    this.#current = schedule
  }

  get activations(): readonly ForkActivation[] {
    return this.#current.activations
  }

  get proofOfWork(): boolean {
    return this.#current.proofOfWork
  }

  get transactionGasLimitCap(): boolean {
    return this.#current.transactionGasLimitCap
  }

  get depositContract(): Uint8Array {
    return this.#current.depositContract
  }

  rulesAt(place: RulesPlace): ForkRules {
    return this.#current.rulesAt(place)
  }

  rulesOf(activation: ForkActivation): ForkRules {
    return this.#current.rulesOf(activation)
  }

  with(changes: ScheduleChanges): ForkSchedule {
    return this.#current.with(changes)
  }

  /** Lets other forks hold from now on. */
  replace(schedule: ForkSchedule): void {
    this.#current = schedule
  }

  /** Lets the same forks hold under another chain id from now on. */
  setChainId(chainId: bigint): void {
    this.#current = this.#current.with({ chainId })
  }
}

/** Gas of a transaction that runs no code and has no data. */
export const PLAIN_TRANSFER_GAS = 21_000n
/** EIP-7825: gas of one transaction. */
export const MAX_TRANSACTION_GAS = 16_777_216n

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

/** How many blobs blocks hold and what they cost (EIP-7840), where a chain departs from the main network. */
export interface BlobSchedule {
  /** Blobs in a block. */
  target: bigint
  max: bigint
  baseFeeUpdateFraction: bigint
}

/** What the rules of one fork are made from. */
export interface RulesOptions {
  chainId: bigint
  hardfork: Hardfork
  /** The main network's unless given. */
  blobSchedule?: BlobSchedule | undefined
  /** Whether Osaka caps a transaction's gas at 2^24 (EIP-7825). */
  transactionGasLimitCap?: boolean
  /**
   * Most bytes of a contract's code, in the place of EIP-170's; creation code may have twice as many in the place of
   * EIP-3860's.
   */
  codeSizeLimit?: bigint | undefined
  /** Signatures that ECRECOVER answers otherwise than they recover. */
  recoveries?: SignatureRecoveries | undefined
  /** Whether blocks stand on a remote chain, which may lack the system contracts. */
  isFork?: boolean | undefined
}

/** Where rules depart from those of the main network. */
type Departures = Pick<RulesOptions, 'blobSchedule' | 'codeSizeLimit' | 'recoveries' | 'isFork'>

interface Answers {
  eips: Map<number, boolean>
  hardforks: Map<string, boolean>
  params: Map<string, bigint>
}

type Params = NonNullable<CommonOpts['params']>

let allParams: Params | undefined

/** The parameters of all libraries, merged before a Common takes them: it goes through all of them at each update. */
function mergeParams(): Params {
  const merged: Params = {}
  for (const params of [paramsBlock, paramsTx, paramsEVM, paramsVM]) {
    for (const [eip, values] of Object.entries(params)) merged[eip] = { ...merged[eip], ...values }
  }
  return merged
}

/**
 * The rules of one fork.
 *
 * ethereumjs copies a Common for every transaction and merges the parameters of each library into the copy. Here
 * all parameters are merged once and the one instance is shared by everything that runs under the fork.
 */
class SharedRules extends Common {
  private sealed = false
  /** What was asked once: nothing changes any more, and the virtual machine asks at every step. */
  private answers: Answers | undefined
  private blobs: ReturnType<Common['getBlobGasSchedule']> | undefined
  private chainNumber: bigint | undefined
  readonly recoveries: SignatureRecoveries | undefined
  readonly isFork: boolean

  constructor(options: CommonOpts, departures: Departures) {
    super({ ...options, params: (allParams ??= mergeParams()) })
    const { blobSchedule, codeSizeLimit } = departures
    this.recoveries = departures.recoveries
    this.isFork = departures.isFork === true
    this.blobs = blobSchedule && {
      targetBlobGasPerBlock: blobSchedule.target * GAS_PER_BLOB,
      maxBlobGasPerBlock: blobSchedule.max * GAS_PER_BLOB,
      blobGasPriceUpdateFraction: blobSchedule.baseFeeUpdateFraction,
    }
    this.sealed = true
    this.answers = { eips: new Map(), hardforks: new Map(), params: new Map() }
    if (codeSizeLimit !== undefined) {
      this.answers.params.set('maxCodeSize', codeSizeLimit)
      this.answers.params.set('maxInitCodeSize', 2n * codeSizeLimit)
    }
  }

  override copy(): this {
    return this
  }

  override isActivatedEIP(eip: number): boolean {
    let answer = this.answers?.eips.get(eip)
    if (answer === undefined) {
      answer = super.isActivatedEIP(eip)
      this.answers?.eips.set(eip, answer)
    }
    return answer
  }

  override gteHardfork(hardfork: string): boolean {
    let answer = this.answers?.hardforks.get(hardfork)
    if (answer === undefined) {
      answer = super.gteHardfork(hardfork)
      this.answers?.hardforks.set(hardfork, answer)
    }
    return answer
  }

  override param(name: string): bigint {
    let answer = this.answers?.params.get(name)
    if (answer === undefined) {
      answer = super.param(name)
      this.answers?.params.set(name, answer)
    }
    return answer
  }

  override getBlobGasSchedule(): ReturnType<Common['getBlobGasSchedule']> {
    return (this.blobs ??= super.getBlobGasSchedule())
  }

  override chainId(): bigint {
    return (this.chainNumber ??= super.chainId())
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

/** BPO forks that ethereumjs does not know: they change the blob schedule alone (EIP-7892). */
const laterBlobForks: HardforksDict = { bpo3: { eips: [] }, bpo4: { eips: [] }, bpo5: { eips: [] } }

/** The rules of one fork on a chain; make them once and share them. */
export function createRules(options: RulesOptions): ForkRules {
  const { chainId, hardfork, transactionGasLimitCap = false } = options
  const customHardforks: HardforksDict = {
    ...laterBlobForks,
    osaka: { eips: osakaEips(transactionGasLimitCap) },
  }
  const common: CommonOpts = {
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
  }
  return new SharedRules(common, options)
}
