import { paramsBlock } from '@ethereumjs/block'
import { Common, type CommonOpts, type HardforksDict } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import { paramsVM } from '@ethereumjs/vm'
import { GAS_PER_BLOB } from '../block/fees.js'
import { customCrypto } from '../crypto.js'
import { kzg } from '../kzg.js'
import type { ForkRules } from '../types.js'
import { hardforks, type Hardfork } from './hardforks.js'
import type { SignatureRecoveries } from './signatureRecoveries.js'

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
