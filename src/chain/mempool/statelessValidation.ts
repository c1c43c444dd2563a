import { getCalldataFloorGas } from '@ethereumjs/tx'
import { TransactionRejectedError } from '../errors.js'
import { maxInitcodeSize } from '../vm/preCheck.js'
import { unsignedTransaction } from '../vm/unsignedTransaction.js'
import type { ForkRules } from '../types.js'
import { checkBlobs } from './blobs.js'
import { checkGasLimit, checkType } from './create.js'
import type { TransactionFields } from './decode.js'
import type { MempoolOptions } from './options.js'
import { checkSignature } from './sender.js'

/** Bytes of a transaction in its encoding. */
const MAX_SIZE = 131_072
/** The same with blobs: no transaction is larger. */
export const MAX_BLOB_TRANSACTION_SIZE = 1_048_576
/** EIP-3860. */
const STANDARD_INITCODE_SIZE = 49_152n
const MAX_UINT256 = 2n ** 256n - 1n
const MAX_NONCE = 2n ** 64n - 1n
const WEI_PER_CENT_OF_ETHER = 10n ** 16n

/** What the checks depend on besides the transaction. */
export interface StaticContext {
  /** Those of the next block. */
  rules: ForkRules
  blockGasLimit: bigint
  options: Required<MempoolOptions>
  /** Whether the transaction carries a signature that has to be sound. */
  isSigned: boolean
}

/**
 * The checks before anything else of a transaction sent over RPC (geth: internal/ethapi/api.go, SubmitTransaction).
 *
 * @throws TransactionRejectedError
 */
export function checkSubmission(fields: TransactionFields, options: Required<MempoolOptions>): void {
  const fee = feeCap(fields) * fields.gasLimit
  const cap = options.transactionFeeCap
  if (cap > 0n && fee > cap) {
    throw rejected(`tx fee (${inEther(fee)} ether) exceeds the configured cap (${inEther(cap)} ether)`)
  }
  if (options.requireReplayProtection && fields.type === 0 && fields.chainId === undefined) {
    throw rejected('only replay-protected (EIP-155) transactions allowed over RPC')
  }
}

/**
 * Whether a transaction is no larger than those of its type may be. One that is so need not be read: of a list of
 * millions of items other work would wait for a second.
 *
 * @param type - the first byte of its encoding, or its type
 * @throws TransactionRejectedError
 */
export function checkSize(type: number | undefined, size: number, rules: ForkRules): void {
  const maxSize = type === 3 ? MAX_BLOB_TRANSACTION_SIZE : MAX_SIZE + extraCodeSize(rules)
  if (size > maxSize) throw rejected(`oversized data: transaction size ${size}, limit ${maxSize}`)
}

/**
 * What can be checked without the state, in geth's order and words (core/txpool/validation.go, ValidateTransaction).
 *
 * @throws TransactionRejectedError
 */
export function validateStateless(fields: TransactionFields, context: StaticContext): void {
  const { rules, blockGasLimit, options } = context
  const { type, size, data, gasLimit, nonce, to, authorizationList } = fields
  checkSize(type, size, rules)
  checkType(type, rules)
  const codeLimit = to === undefined ? maxInitcodeSize(rules) : undefined
  if (codeLimit !== undefined && data.length > codeLimit) {
    throw rejected(`max initcode size exceeded: code size ${data.length} limit ${codeLimit}`)
  }
  checkGasLimit(gasLimit, rules)
  if (gasLimit > blockGasLimit) {
    throw new TransactionRejectedError('exceeds block gas limit', { gasLimit, blockGasLimit })
  }
  const maxFee = feeCap(fields)
  const tip = tipCap(fields)
  if (maxFee > MAX_UINT256) throw rejected('max fee per gas higher than 2^256-1')
  if (tip > MAX_UINT256) throw rejected('max priority fee per gas higher than 2^256-1')
  if (tip > maxFee) {
    throw new TransactionRejectedError('max priority fee per gas higher than max fee per gas', {
      tip,
      maxFee,
    })
  }
  if (context.isSigned) checkSignature(fields, rules)
  if (nonce === MAX_NONCE) throw rejected('nonce has max value')
  const transaction = unsignedTransaction(fields, rules)
  const intrinsic = transaction.getIntrinsicGas()
  if (gasLimit < intrinsic) {
    throw rejected(`intrinsic gas too low: gas ${gasLimit}, minimum needed ${intrinsic}`)
  }
  const floor = getCalldataFloorGas(transaction)
  if (gasLimit < floor) {
    throw rejected(`insufficient gas for floor data gas cost: gas ${gasLimit}, minimum needed ${floor}`)
  }
  if (tip < options.minimumTip) {
    throw rejected(
      `transaction gas price below minimum: gas tip cap ${tip}, minimum needed ${options.minimumTip}`,
    )
  }
  if (authorizationList?.length === 0) {
    throw rejected('set code tx must have at least one authorization tuple')
  }
  if (type === 3) checkBlobs(fields, rules)
}

/** By how many bytes creation code may be longer than on the main network. */
function extraCodeSize(rules: ForkRules): number {
  const extra = (maxInitcodeSize(rules) ?? 0n) - STANDARD_INITCODE_SIZE
  return extra > 0n ? Number(extra) : 0
}

function feeCap({ maxFeePerGas, gasPrice = 0n }: TransactionFields): bigint {
  return maxFeePerGas ?? gasPrice
}

function tipCap({ maxPriorityFeePerGas, gasPrice = 0n }: TransactionFields): bigint {
  return maxPriorityFeePerGas ?? gasPrice
}

/** Wei as ether with two decimals. */
function inEther(wei: bigint): string {
  const cents = (wei + WEI_PER_CENT_OF_ETHER / 2n) / WEI_PER_CENT_OF_ETHER
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`
}

function rejected(words: string): TransactionRejectedError {
  return new TransactionRejectedError(words)
}
