import { maxBigint, minBigint } from '../../encoding/bigints.js'
import { quantity } from '../../encoding/hex.js'
import { headerBlobBaseFee } from '../block/header.js'
import { ChainError, InvalidCallError } from '../errors.js'
import type { CallObject } from '../calls/callObject.js'
import { leastReplacement } from '../mempool/validation.js'
import type { ForkRules, HeaderFields } from '../types.js'

/**
 * How a fee cap that the caller leaves open is chosen: geth's twice the base fee and the tip; hardhat's twice the next
 * base fee and the tip; or anvil's, the next base fee and the suggested tip, whatever tip is given.
 */
export type DefaultFeeCap = 'twice the base fee' | 'twice the next base fee' | 'the next price'

/** What the defaults of fees depend on. */
export interface FeeMarket {
  /** Wei per gas of the head; undefined before London. */
  baseFee: bigint | undefined
  /** Wei per gas of the next block: what the head's rises or falls to, or what a control has set. */
  nextBaseFee: bigint
  /** Wei per gas of the head; undefined before Cancun. */
  blobBaseFee: bigint | undefined
  /** Wei per gas above the base fee that is suggested. */
  suggestedTip: bigint
  /** What a transaction offers that leaves it open, in wei per gas; the suggested tip unless given. */
  usualTip?: bigint | undefined
  defaultFeeCap: DefaultFeeCap
  /** Whether fees of zero and a tip above the cap are taken: the mempool refuses them. */
  leavesFeesToMempool: boolean
  /** The tip, in wei per gas, of the waiting transaction that this one is to replace. */
  replacedTip?: bigint | undefined
}

/** The fees of a transaction, complete. */
export type TransactionFees = Pick<
  CallObject,
  'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'maxFeePerBlobGas'
>

/**
 * The fees of a transaction where the caller left them open (geth: internal/ethapi/transaction_args.go,
 * setFeeDefaults). Where the base fee is zero, or a control makes the next one zero, fees of zero are fine.
 *
 * Other than geth, a tip that the caller left open never exceeds the cap that was given, and is high enough for the
 * transaction to replace the waiting one with its nonce: who raises only the cap means to replace it. In anvil it is the
 * suggested one whatever the cap.
 *
 * @throws ChainError in geth's words if the fees do not go together.
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
  const zeroIsFine =
    market.leavesFeesToMempool || baseFee === undefined || baseFee === 0n || nextBaseFee === 0n
  if (gasPrice !== undefined) {
    if (gasPrice === 0n && !zeroIsFine) throw new ChainError('gasPrice must be non-zero after london fork')
    return { gasPrice }
  }
  if (baseFee === undefined) {
    if (hasFeeMarketFees) {
      throw new ChainError('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active')
    }
    return { gasPrice: suggestedTip }
  }
  if (maxFeePerGas === 0n && maxPriorityFeePerGas !== undefined && !zeroIsFine) {
    throw new ChainError('maxFeePerGas must be non-zero')
  }
  const tip = maxPriorityFeePerGas ?? openTip(maxFeePerGas, market)
  const cap = maxFeePerGas ?? openCap(tip, { ...market, baseFee })
  if (cap < tip && !market.leavesFeesToMempool) {
    throw new ChainError(`maxFeePerGas (${quantity(cap)}) < maxPriorityFeePerGas (${quantity(tip)})`)
  }
  return { maxFeePerGas: cap, maxPriorityFeePerGas: tip }
}

/** The cap of a transaction whose caller named at most its tip. */
function openCap(
  tip: bigint,
  { baseFee, nextBaseFee, suggestedTip, defaultFeeCap }: FeeMarket & { baseFee: bigint },
): bigint {
  if (defaultFeeCap === 'twice the next base fee') return tip + 2n * nextBaseFee
  // Twice the head's is more than the next block takes, unless a control set that.
  if (defaultFeeCap === 'twice the base fee') {
    return tip + 2n * (nextBaseFee > 2n * baseFee ? nextBaseFee : baseFee)
  }
  // The estimate runs on the head, whose base fee may be above that of the next block.
  return maxBigint(baseFee, nextBaseFee + suggestedTip)
}

/** The tip of a transaction whose caller named at most its cap. */
function openTip(
  cap: bigint | undefined,
  { suggestedTip, usualTip = suggestedTip, replacedTip, defaultFeeCap }: FeeMarket,
): bigint {
  if (cap === undefined || defaultFeeCap === 'the next price') return usualTip
  const replacing = replacedTip === undefined ? 0n : leastReplacement(replacedTip)
  return minBigint(maxBigint(replacing, suggestedTip), cap)
}

/**
 * The fees of a call whose access list is wanted. Other than geth, the document wants both fees of EIP-1559 or none, and
 * a gas price of zero is fine.
 *
 * @throws InvalidCallError if only one of the EIP-1559 fees is given; ChainError if the fees do not go together.
 */
export function accessListFees(
  call: CallObject,
  header: HeaderFields,
  { rules, suggestedTip }: { rules: ForkRules } & Pick<FeeMarket, 'suggestedTip'>,
): CallObject {
  const hasHalf = (call.maxFeePerGas === undefined) !== (call.maxPriorityFeePerGas === undefined)
  if (hasHalf && call.gasPrice === undefined) {
    throw new InvalidCallError('maxFeePerGas and maxPriorityFeePerGas must be given together')
  }
  if (call.gasPrice === 0n) return call
  const market: FeeMarket = {
    baseFee: header.baseFeePerGas,
    nextBaseFee: header.baseFeePerGas ?? 0n,
    blobBaseFee: headerBlobBaseFee(header, rules),
    suggestedTip,
    defaultFeeCap: 'twice the base fee',
    leavesFeesToMempool: false,
  }
  return { ...call, ...feeDefaults(call, market) }
}
