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
 * Where a fork activates: at a block number; at the first block without proof of work, once the total difficulty has
 * reached a threshold (EIP-3675); or, since Shanghai, at a timestamp in seconds.
 */
export type ForkStart = { block: bigint } | { totalDifficulty: bigint } | { timestamp: bigint }

/** A fork of a chain. */
export interface ForkActivation {
  hardfork: Hardfork
  from: ForkStart
  blobSchedule?: BlobSchedule | undefined
}

/** The header fields that determine the rules. A future block has no difficulty, which counts as zero. */
export type RulesHeader = Pick<HeaderFields, 'number' | 'timestamp'> &
  Partial<Pick<HeaderFields, 'difficulty'>>

/** The fork rules by block, and other protocol parameters of a chain. */
export interface ForkSchedule {
  /** In order of activation; the first applies from the genesis on. */
  readonly activations: readonly ForkActivation[]
  /**
   * Whether blocks before the merge have proof of work and rewards. Not on chains made here, where the difficulty is
   * zero under all forks.
   */
  readonly proofOfWork: boolean
  /** Whether Osaka caps a transaction's gas at 2^24 (EIP-7825). */
  readonly transactionGasLimitCap: boolean
  /** 20 bytes (EIP-6110). */
  readonly depositContract: Uint8Array
  rulesAt(header: RulesHeader): ForkRules
  /** Returns the rules of one activation. */
  rulesOf(activation: ForkActivation): ForkRules
  /** Returns the same activations with other parameters. */
  with(changes: ScheduleChanges): ForkSchedule
}

/** Parameters that apply to all forks of a schedule. */
export type ScheduleChanges = Partial<
  Pick<ScheduleOptions, 'chainId' | 'codeSizeLimit' | 'recoveries' | 'isFork'>
>

/** Options for a schedule, besides its forks. */
export interface ScheduleOptions extends Omit<RulesOptions, 'hardfork' | 'blobSchedule'> {
  proofOfWork?: boolean
  /** 20 bytes; mainnet's by default. */
  depositContract?: Uint8Array
}

/**
 * Creates the schedule of a chain. The rules of a fork are created on demand.
 *
 * @param activations - in order of activation; the first applies from the genesis on
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
  // The network split has no rules of its own, and may precede the merge itself.
  const [first, ...later] = activations
  const steps = later.filter(({ hardfork }) => hardfork !== 'mergeNetsplitBlock')
  return {
    activations,
    proofOfWork,
    transactionGasLimitCap,
    depositContract: options.depositContract ?? DEPOSIT_CONTRACT_ADDRESS,
    rulesOf,
    with: (changes) => createForkSchedule(activations, { ...options, ...changes }),
    rulesAt: (header) => {
      let current = first
      for (const step of steps) {
        if (!isInForce(step.from, header)) break
        current = step
      }
      return rulesOf(current)
    },
  }
}

function isInForce(from: ForkStart, { number, timestamp, difficulty = 0n }: RulesHeader): boolean {
  if ('block' in from) return from.block <= number
  return 'timestamp' in from ? from.timestamp <= timestamp : difficulty === 0n
}

/** Creates a schedule with a single fork from the genesis on. */
export function createSingleForkSchedule(options: RulesOptions): ForkSchedule {
  const { hardfork, ...rest } = options
  return createForkSchedule([{ hardfork, from: { block: 0n } }], rest)
}

/** A fork schedule that can be replaced while the chain runs. */
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

  rulesAt(header: RulesHeader): ForkRules {
    return this.#current.rulesAt(header)
  }

  rulesOf(activation: ForkActivation): ForkRules {
    return this.#current.rulesOf(activation)
  }

  with(changes: ScheduleChanges): ForkSchedule {
    return this.#current.with(changes)
  }

  /** Replaces the schedule. */
  replace(schedule: ForkSchedule): void {
    this.#current = schedule
  }

  /** Changes the chain id and keeps the forks. */
  setChainId(chainId: bigint): void {
    this.#current = this.#current.with({ chainId })
  }
}

/** Gas of a transaction without code and data. */
export const PLAIN_TRANSFER_GAS = 21_000n
/** EIP-2200: SSTORE requires more than this much gas left. */
export const SSTORE_SENTRY_GAS = 2_300n
/** Yellow Paper, appendix G: gas that a call with value adds for the recipient. */
export const CALL_STIPEND = 2_300n
/** EIP-7825: maximum gas of a transaction. */
export const MAX_TRANSACTION_GAS = 16_777_216n

/** The supported forks, in mainnet order. */
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

/** The default fork of chains made here. */
export const DEFAULT_HARDFORK: Hardfork = 'osaka'

/** Names in other development nodes and in specifications. */
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
 * Parses the name of a fork, ignoring case, spaces, dashes and underscores.
 *
 * @returns undefined if there is no such fork
 */
export function parseHardfork(name: string): Hardfork | undefined {
  const plain = name.toLowerCase().replaceAll(/[-_ ]/g, '')
  return aliases[plain] ?? hardforks.find((hardfork) => hardfork.toLowerCase() === plain)
}

/** Blob parameters (EIP-7840) of a chain that differs from mainnet. */
export interface BlobSchedule {
  /** In blobs per block. */
  target: bigint
  max: bigint
  baseFeeUpdateFraction: bigint
}

/** Options for the rules of one fork. */
export interface RulesOptions {
  chainId: bigint
  hardfork: Hardfork
  /** mainnet's by default. */
  blobSchedule?: BlobSchedule | undefined
  /** Whether Osaka caps a transaction's gas at 2^24 (EIP-7825). */
  transactionGasLimitCap?: boolean
  /** Maximum code size in bytes instead of EIP-170's; the initcode limit is twice that instead of EIP-3860's. */
  codeSizeLimit?: bigint | undefined
  /** Signatures for which ECRECOVER returns something other than the real signer. */
  recoveries?: SignatureRecoveries | undefined
  /** Whether the chain forks a remote one, which may lack the system contracts. */
  isFork?: boolean | undefined
}

/** Differences from mainnet's rules. */
type Departures = Pick<RulesOptions, 'blobSchedule' | 'codeSizeLimit' | 'recoveries' | 'isFork'>

interface Answers {
  eips: Map<number, boolean>
  hardforks: Map<string, boolean>
  params: Map<string, bigint>
}

type Params = NonNullable<CommonOpts['params']>

let allParams: Params | undefined

/** Merges the parameters of all libraries beforehand, because a Common processes all of them at each update. */
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
 * ethereumjs copies a Common for every transaction and merges each library's parameters into the copy. Here everything
 * is merged once, and all executions under the fork share one instance.
 */
class SharedRules extends Common {
  // Not `#` members: the library's constructor calls the overrides before this class has any.
  private sealed = false
  /** Cached answers: nothing changes any more, and the EVM asks at every step. */
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
 * EIPs of Osaka. @ethereumjs/common 10.1 lacks EIP-7934 (block size). EIP-7825 (transaction gas cap) would break tests
 * with large transactions, so it is optional.
 */
function osakaEips(transactionGasLimitCap: boolean): number[] {
  const eips = [7594, 7823, 7883, 7892, 7939, 7951, 7918, 7934]
  return transactionGasLimitCap ? [...eips, 7825] : eips
}

/** BPO forks unknown to ethereumjs, which only change the blob schedule (EIP-7892). */
const laterBlobForks: HardforksDict = { bpo3: { eips: [] }, bpo4: { eips: [] }, bpo5: { eips: [] } }

/** Returns the same rules for a chain with another id. */
export function withChainId(rules: ForkRules, chainId: bigint): ForkRules {
  if (chainId === rules.chainId()) return rules
  // Everything else, the cached answers too, is read through the prototype.
  return Object.create(rules, { chainId: { value: () => chainId } }) as ForkRules
}

/** Creates the rules of one fork on a chain. Create them once and share them. */
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
