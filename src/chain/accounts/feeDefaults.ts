import { maxBigint, minBigint } from '../../encoding/bigints.js'
import { quantity } from '../../encoding/hex.js'
import { ChainError, InvalidCallError } from '../errors.js'
import type { CallObject } from '../calls/callObject.js'
import { minimumReplacementFee } from '../mempool/validation.js'
import type { HeaderFields } from '../types.js'

/**
 * The default fee cap: in geth, twice the base fee plus the tip; in Hardhat, twice the next base fee plus the tip; in
 * anvil, the next base fee plus the suggested tip, whatever tip is given.
 */
export type DefaultFeeCap = 'twice the base fee' | 'twice the next base fee' | 'the next price'

/** The context that default fees depend on. */
export interface FeeMarket {
  /** Base fee of the head in wei per gas; undefined before London. */
  baseFee: bigint | undefined
  /** Base fee of the next block in wei per gas, computed from the head or set by a control. */
  nextBaseFee: bigint
  /** Blob base fee of the head in wei per blob gas; undefined before Cancun. */
  blobBaseFee: bigint | undefined
  /** Suggested tip in wei per gas. */
  suggestedTip: bigint
  /** Default tip of a transaction in wei per gas; the suggested tip by default. */
  defaultTip?: bigint | undefined
  defaultFeeCap: DefaultFeeCap
  /** Whether to accept zero fees and a tip above the cap, and let the mempool reject them. */
  defersFeeChecksToMempool: boolean
  /** Tip, in wei per gas, of the pooled transaction that this one replaces. */
  replacedTip?: bigint | undefined
}

/** The completed fees of a transaction. */
export type TransactionFees = Pick<
  CallObject,
  'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'
>

/**
 * Fills in the fees that the caller left open (geth: internal/ethapi/transaction_args.go, setFeeDefaults). Zero fees
 * are allowed if the base fee is zero, or a control makes the next one zero.
 *
 * Unlike in geth, a default tip never exceeds the given cap, and is high enough to replace a pooled transaction with
 * the same nonce: a caller who only raises the cap means to replace it. In anvil the default is the suggested tip,
 * whatever the cap.
 *
 * @throws ChainError with geth's message if the fees are inconsistent
 */
export function feeDefaults(call: CallObject, market: FeeMarket): TransactionFees {
  return { ...blobFees(call, market), ...gasFees(call, market) }
}

function blobFees(
  { maxFeePerBlobGas, blobVersionedHashes }: CallObject,
  { blobBaseFee }: FeeMarket,
): TransactionFees {
  if (maxFeePerBlobGas === 0n) throw new ChainError('maxFeePerBlobGas, if specified, must be non-zero')
  if (maxFeePerBlobGas !== undefined) return { maxFeePerBlobGas }
  return blobVersionedHashes === undefined || blobBaseFee === undefined
    ? {}
    : { maxFeePerBlobGas: 2n * blobBaseFee }
}

function gasFees(call: CallObject, market: FeeMarket): TransactionFees {
  const { baseFee, nextBaseFee, suggestedTip } = market
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList } = call
  const hasFeeMarketFees = maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined
  if (gasPrice !== undefined && hasFeeMarketFees) {
    throw new ChainError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (gasPrice !== undefined && authorizationList !== undefined) {
    throw new ChainError('both gasPrice and authorizationList specified')
  }
  const allowsZero =
    market.defersFeeChecksToMempool || baseFee === undefined || baseFee === 0n || nextBaseFee === 0n
  if (gasPrice !== undefined) {
    if (gasPrice === 0n && !allowsZero) throw new ChainError('gasPrice must be non-zero after london fork')
    return { gasPrice }
  }
  const hasBothFees = maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined
  if (baseFee === undefined && !hasBothFees) {
    if (hasFeeMarketFees) {
      throw new ChainError('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active')
    }
    return { gasPrice: suggestedTip }
  }
  if (maxFeePerGas === 0n && hasBothFees && (baseFee === undefined || !allowsZero)) {
    throw new ChainError('maxFeePerGas must be non-zero')
  }
  const tip = maxPriorityFeePerGas ?? openTip(maxFeePerGas, market)
  const cap = maxFeePerGas ?? openCap(tip, { ...market, baseFee: baseFee ?? 0n })
  if (cap < tip && !market.defersFeeChecksToMempool) {
    throw new ChainError(`maxFeePerGas (${quantity(cap)}) < maxPriorityFeePerGas (${quantity(tip)})`)
  }
  return { maxFeePerGas: cap, maxPriorityFeePerGas: tip }
}

/** Returns the default cap for a given or default tip. */
function openCap(
  tip: bigint,
  { baseFee, nextBaseFee, suggestedTip, defaultFeeCap }: FeeMarket & { baseFee: bigint },
): bigint {
  if (defaultFeeCap === 'twice the next base fee') return tip + 2n * nextBaseFee
  // Twice the head's base fee exceeds the next one, unless a control set that.
  if (defaultFeeCap === 'twice the base fee') {
    return tip + 2n * (nextBaseFee > 2n * baseFee ? nextBaseFee : baseFee)
  }
  // The estimate runs on the head, whose base fee may exceed that of the next block.
  return maxBigint(baseFee, nextBaseFee + suggestedTip)
}

/** Returns the default tip for a given or open cap. */
function openTip(
  cap: bigint | undefined,
  { suggestedTip, defaultTip = suggestedTip, replacedTip, defaultFeeCap }: FeeMarket,
): bigint {
  if (cap === undefined || defaultFeeCap === 'the next price') return defaultTip
  const replacing = replacedTip === undefined ? 0n : minimumReplacementFee(replacedTip)
  return minBigint(maxBigint(replacing, suggestedTip), cap)
}

/**
 * Fills in the fees of a call whose access list is requested. Unlike geth, requires both fees of EIP-1559 or none, as
 * documented, and allows a gas price of zero.
 *
 * @throws InvalidCallError if only one of the EIP-1559 fees is given; ChainError if the fees are inconsistent
 */
export function accessListFees(
  call: CallObject,
  header: HeaderFields,
  { blobBaseFee, suggestedTip }: Pick<FeeMarket, 'blobBaseFee' | 'suggestedTip'>,
): CallObject {
  const hasOnlyOne = (call.maxFeePerGas === undefined) !== (call.maxPriorityFeePerGas === undefined)
  if (hasOnlyOne && call.gasPrice === undefined) {
    throw new InvalidCallError('maxFeePerGas and maxPriorityFeePerGas must be given together')
  }
  const market: FeeMarket = {
    baseFee: header.baseFeePerGas,
    nextBaseFee: header.baseFeePerGas ?? 0n,
    blobBaseFee,
    suggestedTip,
    defaultFeeCap: 'twice the base fee',
    defersFeeChecksToMempool: false,
  }
  if (call.gasPrice !== 0n) return { ...call, ...feeDefaults(call, market) }
  return { ...call, ...feeDefaults(call, { ...market, nextBaseFee: 0n }) }
}
