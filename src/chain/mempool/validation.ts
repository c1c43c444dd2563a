import { getCalldataFloorGas } from '@ethereumjs/tx'
import { MAX_UINT256 } from '../../encoding/bigints.js'
import { GAS_PER_BLOB } from '../block/header.js'
import { TransactionRejectedError } from '../errors.js'
import type { ForkRules } from '../types.js'
import { PLAIN_TRANSFER_GAS } from '../evm/forkSchedule.js'
import { unsignedTransaction } from '../evm/internals.js'
import { MAX_NONCE } from '../state/account.js'
import { maxInitcodeSize } from '../vm/preCheck.js'
import { MAX_BLOB_TRANSACTIONS, checkBlobs, nextBlobNonce } from './blobs.js'
import type { TransactionFields } from './decode.js'
import type { CompleteMempoolOptions, Entry, EntryIndex, SenderQueue } from './senderQueue.js'
import {
  type CreatableFields,
  type PooledTransaction,
  checkGasLimit,
  checkSignature,
  checkType,
  isBlob,
  maxFeePerGas,
  maxPriorityFeePerGas,
} from './transaction.js'

/** Minimum price of a replacement, in percent of what it replaces (geth: legacypool, PriceBump). */
const REPLACEMENT_PERCENT = 110n
/** Same for blob transactions (geth: blobpool, PriceBump). */
const BLOB_REPLACEMENT_PERCENT = 200n

const FUNDS = 'insufficient funds for gas * price + value'

/**
 * Checks the nonce against the sender's state (geth: core/txpool/validation.go, ValidateTransactionWithState).
 *
 * @throws TransactionRejectedError
 */
function checkNonce({ nonce }: Pick<TransactionFields, 'nonce'>, queue: SenderQueue): void {
  if (nonce < queue.nonce) throw rejected(`nonce too low: next nonce ${queue.nonce}, tx nonce ${nonce}`)
}

/**
 * Checks the balance against the transaction and the sender's other pending ones. In geth this follows
 * {@link checkNonce} in the same function.
 *
 * @throws TransactionRejectedError
 */
function checkFunds(
  { nonce, cost }: Pick<TransactionFields, 'nonce'> & Pick<Entry, 'cost'>,
  queue: SenderQueue,
): void {
  const { balance } = queue.account
  if (balance < cost) {
    throw rejected(`${FUNDS}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`)
  }
  const spent = queue.pendingCost
  const previous = queue.isPending(nonce) ? queue.at(nonce) : undefined
  const more = cost - (previous?.cost ?? 0n)
  if (spent + more <= balance) return
  const message = previous === undefined ? `tx cost ${cost}` : `tx bumped ${more}`
  throw rejected(
    `${FUNDS}: balance ${balance}, queued cost ${spent}, ${message}, overshot ${spent + more - balance}`,
  )
}

/** Checks that a sender has either blob transactions or others in the pool, never both. */
function checkKind(entry: Entry, queue: SenderQueue): void {
  const [first] = queue.entries
  if (first !== undefined && isBlob(first) !== isBlob(entry)) throw rejected('address already reserved')
}

/** Checks that blob transactions leave no nonce gap. */
function checkGap(entry: Entry, queue: SenderQueue): void {
  if (!isBlob(entry)) return
  const { nonce } = entry.transaction
  const next = nextBlobNonce(queue)
  if (nonce <= next) return
  throw rejected(`nonce too high: tx nonce ${nonce}, gapped nonce ${next}`)
}

function checkBlobCount(entry: Entry, { entries }: SenderQueue): void {
  if (!isBlob(entry) || entries.length < MAX_BLOB_TRANSACTIONS) return
  throw rejected(`account limit exceeded: pooled ${entries.length} txs`)
}

/** Where a transaction comes from: a client, or what the node has acknowledged before. */
export type Origin = 'client' | 'acknowledged'

/** Returns the minimum fee, in wei per gas, that replaces a given one. */
export function minimumReplacementFee(fee: bigint): bigint {
  const bumped = (fee * REPLACEMENT_PERCENT) / 100n
  return bumped > fee ? bumped : fee + 1n
}

/**
 * Checks that a replacement pays more of both fees, or only of the cap where that suffices.
 *
 * @throws TransactionRejectedError
 */
export function checkReplacement(
  entry: Entry,
  replaced: Entry,
  { capReplaces }: Pick<CompleteMempoolOptions, 'capReplaces'>,
): void {
  if (capReplaces && maxFeePerGas(entry.transaction) > maxFeePerGas(replaced.transaction)) return
  if (isBlob(entry)) return checkBlobReplacement(entry, replaced)
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  for (const [name, fee] of Object.entries(fees)) {
    const least = minimumReplacementFee(fee(replaced.transaction))
    if (fee(entry.transaction) >= least) continue
    const { nonce } = entry.transaction
    throw new TransactionRejectedError('replacement transaction underpriced', { name, least, nonce })
  }
}

/**
 * Compares all fees with those of the replaced transaction before any with the minimum (geth: blobpool, validateTx).
 */
function checkBlobReplacement(entry: Entry, replaced: Entry): void {
  const fees: [name: string, fee: (transaction: PooledTransaction['transaction']) => bigint][] = [
    ['gas fee cap', maxFeePerGas],
    ['gas tip cap', maxPriorityFeePerGas],
    ['blob gas fee cap', blobFee],
  ]
  const compared = fees.map(([name, fee]) => {
    const now = fee(entry.transaction)
    const message = `replacement transaction underpriced: new tx ${name} ${now}`
    return { now, before: fee(replaced.transaction), message }
  })
  for (const { now, before, message } of compared) {
    if (now <= before) throw rejected(`${message} <= ${before} queued`)
  }
  for (const { now, before, message } of compared) {
    if (now >= (before * BLOB_REPLACEMENT_PERCENT) / 100n) continue
    throw rejected(`${message} < ${before} queued + 100% replacement penalty`)
  }
}

function blobFee(transaction: PooledTransaction['transaction']): bigint {
  return 'maxFeePerBlobGas' in transaction ? transaction.maxFeePerBlobGas : 0n
}

function rejected(message: string): TransactionRejectedError {
  return new TransactionRejectedError(message)
}

/** The pool that a transaction is checked against. */
interface StatefulContext extends Pick<StaticContext, 'rules' | 'blockGasLimit' | 'options'> {
  origin: Origin
  index: EntryIndex
}

/**
 * Checks a transaction against its sender's state and the pool.
 *
 * @returns the transaction that it replaces, if any
 * @throws TransactionRejectedError with geth's message, in the order of geth's checks
 */
export function validateWithState(
  entry: Entry,
  queue: SenderQueue,
  context: StatefulContext,
): Entry | undefined {
  const { options, origin, index } = context
  const baseFee = origin === 'client' ? options.automineBaseFee() : undefined
  if (baseFee !== undefined) checkAutomine(entry.transaction, queue, baseFee)
  // The cap on a transaction's gas is checked when it is built.
  if (options.checksAsHardhat) checkGas(entry.transaction, context)
  const { nonce } = entry.transaction
  const replaced = queue.at(nonce)
  checkNonce(entry.transaction, queue)
  // anvil's pool does not separate blob transactions from others, has no limits for senders, and checks funds once.
  const hasLimits = options.anvilBaseFee === undefined
  if (hasLimits) checkGap(entry, queue)
  const needsFunds = !options.withoutFunds && (hasLimits || origin === 'client')
  if (needsFunds) checkFunds({ nonce, cost: entry.cost }, queue)
  if (hasLimits) {
    checkKind(entry, queue)
    if (replaced === undefined && origin === 'client') checkBlobCount(entry, queue)
  }
  if (replaced !== undefined) checkReplacement(entry, replaced, options)
  const isFull = replaced === undefined && index.size >= options.capacity
  if (isFull || index.bytes + entry.size - (replaced?.size ?? 0) > options.byteCapacity) {
    throw new TransactionRejectedError('txpool is full')
  }
  return replaced
}

/** The fields of a transaction that may still be unsigned. */
export type CheckedFields = CreatableFields & Partial<Pick<TransactionFields, 'sidecar'>>

/**
 * Runs anvil's checks, which report a low nonce first and missing funds last (foundry:
 * anvil/src/eth/backend/mem/mod.rs, validate_pool_transaction_for).
 *
 * @param context - `baseFee` is that of the next block, in wei per gas
 * @throws TransactionRejectedError
 */
export function checkAsAnvil(
  fields: CheckedFields,
  queue: SenderQueue,
  context: Pick<StaticContext, 'rules' | 'blockGasLimit'> & { baseFee: bigint; withoutFunds: boolean },
): void {
  const { type, nonce, gasLimit, sidecar } = fields
  if (type === 3 && sidecar === undefined) throw rejected('missing sidecar in blob transaction')
  checkNonce(fields, queue)
  checkInitcodeSize(fields, context.rules)
  if (gasLimit < PLAIN_TRANSFER_GAS) throw rejected('intrinsic gas too low')
  checkGas(fields, context)
  if (feeCap(fields) < context.baseFee) throw rejected('max fee per gas less than block base fee')
  checkTip(fields)
  if (!context.withoutFunds) checkFunds({ nonce, cost: costOf(fields) }, queue)
}

/** Returns the maximum cost to the sender in wei: gas, value and blobs. */
export function costOf(fields: CheckedFields): bigint {
  const { gasLimit, value, blobVersionedHashes = [], maxFeePerBlobGas = 0n } = fields
  const blobGas = BigInt(blobVersionedHashes.length) * GAS_PER_BLOB
  return gasLimit * feeCap(fields) + value + blobGas * maxFeePerBlobGas
}

/**
 * Checks that the next block can include a transaction: its nonce is the next one, and its fee covers the base fee. The
 * messages are Hardhat's under automine, word for word (EDR: edr_provider, data.rs).
 *
 * @param baseFee - base fee of the next block, in wei per gas
 * @throws TransactionRejectedError
 */
export function checkAutomine(
  transaction: FeeFields & Pick<TransactionFields, 'nonce'>,
  { nextNonce }: Pick<SenderQueue, 'nextNonce'>,
  baseFee: bigint,
): void {
  const { nonce } = transaction
  if (nonce !== nextNonce) {
    throw new TransactionRejectedError(
      `Nonce too ${nonce < nextNonce ? 'low' : 'high'}. Expected nonce to be ${nextNonce} but got ${nonce}. ` +
        "Note that transactions can't be queued when automining.",
    )
  }
  const fee = feeCap(transaction)
  if (fee >= baseFee) return
  const name = transaction.maxFeePerGas === undefined ? 'gasPrice' : 'maxFeePerGas'
  throw new TransactionRejectedError(
    `Transaction ${name} (${fee}) is too low for the next block, which has a baseFeePerGas of ${baseFee}`,
  )
}

/** Maximum encoded size of a transaction in bytes. */
const MAX_SIZE = 131_072
/** Maximum encoded size of a blob transaction with its sidecar; no transaction is larger. */
const MAX_BLOB_TRANSACTION_SIZE = 1_048_576
/** Maximum initcode size in bytes (EIP-3860). */
const STANDARD_INITCODE_SIZE = 49_152n
const WEI_PER_CENT_OF_ETHER = 10n ** 16n

const EMPTY_CREATION = 'contract creation without any data provided'

/** The context of the stateless checks. */
export interface StaticContext {
  /** The rules of the next block. */
  rules: ForkRules
  blockGasLimit: bigint
  options: CompleteMempoolOptions
  /** Whether the transaction has a signature to be validated. */
  isSigned: boolean
}

/**
 * Checks a transaction sent over RPC before all other checks (geth: internal/ethapi/api.go, SubmitTransaction).
 *
 * @throws TransactionRejectedError
 */
export function checkSubmission(fields: TransactionFields, options: CompleteMempoolOptions): void {
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
 * Checks that a transaction does not exceed the maximum size of its type. Larger ones must not be decoded: a list of
 * millions of items would block other work for a second.
 *
 * @param type - the transaction type, or the first byte of the encoding
 * @throws TransactionRejectedError
 */
function checkSize(type: number | undefined, size: number, rules: ForkRules): void {
  const maxSize = type === 3 ? MAX_BLOB_TRANSACTION_SIZE : MAX_SIZE + extraCodeSize(rules)
  if (size > maxSize) throw rejected(`oversized data: transaction size ${size}, limit ${maxSize}`)
}

/** A non-blob transaction of up to this many bytes is decoded before its size is checked, as geth always does. */
const MAX_READ_LENGTH = 256 * 1024

/** Refuses a raw transaction that is too long to be decoded. @throws TransactionRejectedError */
export function checkReadable(raw: Uint8Array, rules: ForkRules): void {
  if (raw.length > (raw[0] === 3 ? MAX_BLOB_TRANSACTION_SIZE : MAX_READ_LENGTH)) {
    checkSize(raw[0], raw.length, rules)
  }
}

/**
 * Runs the checks that need no state, in geth's order and with its messages (core/txpool/validation.go,
 * ValidateTransaction).
 *
 * @throws TransactionRejectedError
 */
export function validateStateless(fields: TransactionFields, context: StaticContext): void {
  const { rules, options } = context
  const { type, size, gasLimit, nonce, value, authorizationList } = fields
  checkSize(type, size, rules)
  checkType(type, rules)
  checkInitcodeSize(fields, rules)
  if (!options.checksAsHardhat) checkGas(fields, context)
  else if (fields.to === undefined && fields.data.length === 0) throw rejected(EMPTY_CREATION)
  checkTip(fields)
  if (context.isSigned) checkSignature(fields, rules)
  if (nonce === MAX_NONCE) throw rejected('nonce has max value')
  if (value > MAX_UINT256) throw rejected(FUNDS)
  const transaction = unsignedTransaction(fields, rules)
  const intrinsic = transaction.getIntrinsicGas()
  if (gasLimit < intrinsic) {
    throw rejected(`intrinsic gas too low: gas ${gasLimit}, minimum needed ${intrinsic}`)
  }
  const floor = getCalldataFloorGas(transaction)
  if (gasLimit < floor) {
    throw rejected(`insufficient gas for floor data gas cost: gas ${gasLimit}, minimum needed ${floor}`)
  }
  const tip = tipCap(fields)
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

function checkInitcodeSize({ to, data }: Pick<TransactionFields, 'to' | 'data'>, rules: ForkRules): void {
  const limit = to === undefined ? maxInitcodeSize(rules) : undefined
  if (limit === undefined || data.length <= limit) return
  throw rejected(`max initcode size exceeded: code size ${data.length} limit ${limit}`)
}

function checkGas(
  { gasLimit }: Pick<TransactionFields, 'gasLimit'>,
  { rules, blockGasLimit }: Pick<StaticContext, 'rules' | 'blockGasLimit'>,
): void {
  checkGasLimit(gasLimit, rules)
  if (gasLimit <= blockGasLimit) return
  throw new TransactionRejectedError('exceeds block gas limit', { gasLimit, blockGasLimit })
}

function checkTip(fields: FeeFields): void {
  const maxFee = feeCap(fields)
  const tip = tipCap(fields)
  if (maxFee > MAX_UINT256) throw rejected('max fee per gas higher than 2^256-1')
  if (tip > MAX_UINT256) throw rejected('max priority fee per gas higher than 2^256-1')
  if (tip <= maxFee) return
  throw new TransactionRejectedError('max priority fee per gas higher than max fee per gas', { tip, maxFee })
}

/** Returns the number of bytes by which the initcode limit exceeds mainnet's. */
function extraCodeSize(rules: ForkRules): number {
  const extra = (maxInitcodeSize(rules) ?? 0n) - STANDARD_INITCODE_SIZE
  return extra > 0n ? Number(extra) : 0
}

type FeeFields = Pick<TransactionFields, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>

function feeCap({ maxFeePerGas, gasPrice = 0n }: FeeFields): bigint {
  return maxFeePerGas ?? gasPrice
}

function tipCap({ maxPriorityFeePerGas, gasPrice = 0n }: FeeFields): bigint {
  return maxPriorityFeePerGas ?? gasPrice
}

/** Formats wei as ether with two decimals. */
function inEther(wei: bigint): string {
  const cents = (wei + WEI_PER_CENT_OF_ETHER / 2n) / WEI_PER_CENT_OF_ETHER
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, '0')}`
}
