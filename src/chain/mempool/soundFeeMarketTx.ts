import { FeeMarket1559Tx } from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import type { ForkRules } from '../types.js'
import type { TransactionFields } from './decode.js'

/** A signed fee market transaction (EIP-1559) whose fields the constructor of ethereumjs would take. */
interface SoundFields extends TransactionFields {
  type: 2
  chainId: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
  raw: Uint8Array
}

const MAX_UINT64 = 2n ** 64n - 1n
const MAX_UINT256 = 2n ** 256n - 1n
const CURVE_ORDER_HALF = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
/** EIPs by which ethereumjs tells what a transaction can do. */
const CAPABILITIES = [1559, 2718, 2930]

/**
 * Whether fields break no rule that the constructor of ethereumjs checks. It is for the constructor to say what is
 * wrong with others, and it may take some of those: access lists and the cap of EIP-7825 are left to it as well.
 */
function areSound(fields: TransactionFields, rules: ForkRules): fields is SoundFields {
  const { type, chainId, nonce, gasLimit, value, v, r, s, raw, accessList } = fields
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = fields
  return (
    type === 2 &&
    raw !== undefined &&
    accessList.length === 0 &&
    chainId === rules.chainId() &&
    rules.isActivatedEIP(1559) &&
    !rules.isActivatedEIP(7825) &&
    nonce < MAX_UINT64 &&
    gasLimit <= MAX_UINT64 &&
    value <= MAX_UINT256 &&
    maxPriorityFeePerGas <= maxFeePerGas &&
    maxFeePerGas <= MAX_UINT256 &&
    gasLimit * maxFeePerGas <= MAX_UINT256 &&
    v <= 1n &&
    r <= MAX_UINT256 &&
    s <= CURVE_ORDER_HALF
  )
}

/**
 * What the constructor of ethereumjs' FeeMarket1559Tx makes, without the constructor: that brings every field into
 * bytes and back, merges parameters and checks once more what the mempool has checked, which comes to a thirtieth of
 * a transfer. The methods are the library's own but for the encoding, which is the one that came in.
 */
export class SoundFeeMarketTx {
  readonly type = 2
  readonly cache = {}
  readonly activeCapabilities = CAPABILITIES
  readonly common: ForkRules
  readonly txOptions: { common: ForkRules; allowUnlimitedInitCodeSize: true }
  readonly to: Address | undefined
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly value: bigint
  readonly data: Uint8Array
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  readonly chainId: bigint
  readonly accessList: [] = []
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly #encoded: Uint8Array

  private constructor(fields: SoundFields, rules: ForkRules) {
    this.common = rules
    this.txOptions = { common: rules, allowUnlimitedInitCodeSize: true }
    this.to = fields.to === undefined ? undefined : new Address(fields.to)
    this.nonce = fields.nonce
    this.gasLimit = fields.gasLimit
    this.value = fields.value
    this.data = fields.data
    this.v = fields.v
    this.r = fields.r
    this.s = fields.s
    this.chainId = fields.chainId
    this.maxFeePerGas = fields.maxFeePerGas
    this.maxPriorityFeePerGas = fields.maxPriorityFeePerGas
    this.#encoded = fields.raw
  }

  /** The transaction of such fields; undefined where the library has to look at them. */
  static from(fields: TransactionFields, rules: ForkRules): FeeMarket1559Tx | undefined {
    if (!areSound(fields, rules)) return undefined
    const made = new SoundFeeMarketTx(fields, rules)
    return made instanceof FeeMarket1559Tx ? made : undefined
  }

  /** The EIP-2718 form that came in; nobody writes into it. */
  serialize(): Uint8Array {
    return this.#encoded
  }
}

Object.setPrototypeOf(SoundFeeMarketTx.prototype, FeeMarket1559Tx.prototype)
