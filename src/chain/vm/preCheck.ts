import { type Awaitable, type Steps, TimeSlice, runInSlices, whenReady } from '../../encoding/timeSlice.js'
import { type TypedTransaction, getCalldataFloorGas } from '@ethereumjs/tx'
import { checksumAddress } from '../accounts/address.js'
import { BLOB_HASH_VERSION, GAS_PER_BLOB } from '../block/header.js'
import { MessageRejectedError, type RejectionReason } from '../errors.js'
import { loaded, retryUntilLoaded } from '../evm/frameEnvironment.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { MAX_TRANSACTION_GAS } from '../evm/forkSchedule.js'
import { MAX_NONCE } from '../state/account.js'
import type { ForkRules } from '../types.js'
import { type UnsignedFields, unsignedTransactionInSlices } from '../evm/internals.js'
import { type Message, isDelegation } from './message.js'

/** EIP-7594: maximum number of blobs in a transaction. */
export const MAX_BLOBS_PER_TRANSACTION = 6

/** Returns the maximum initcode size in bytes, by EIP-3860 or the chain's own limit; undefined before Shanghai. */
export function maxInitcodeSize(rules: ForkRules): bigint | undefined {
  return rules.isActivatedEIP(3860) ? rules.param('maxInitCodeSize') : undefined
}

/** Which optional checks a message must pass; calls skip some. */
export interface MessageChecks {
  /** The nonce must be the sender's next one. */
  nonce: boolean
  /** The sender must not be a contract (EIP-3607), and the gas must not exceed EIP-7825's cap where it applies. */
  transaction: boolean
  /** The fees must cover the block's, even if they are zero. */
  baseFee: boolean
}

/** All checks, as for a transaction in a block. */
export const transactionChecks: MessageChecks = { nonce: true, transaction: true, baseFee: true }
/** The checks of eth_call and similar methods. */
export const callChecks: MessageChecks = { nonce: false, transaction: false, baseFee: false }

/** Results of the checks that the execution needs. */
export interface CheckedMessage {
  transaction: TypedTransaction
  /** Gas charged before the first opcode. */
  intrinsic: bigint
  /** The calldata floor of EIP-7623; zero where it does not apply. */
  floor: bigint
  /** Whether the message pays no fee at all, not even to the coinbase. */
  isFree: boolean
  /** Whether the sender has code other than a delegation (EIP-7702). */
  hasCode: boolean
}

/** Whether the sender offers no fee and does not have to. */
function paysNothing(message: Message, checks: MessageChecks): boolean {
  return !checks.baseFee && message.maxFeePerGas === 0n && message.maxPriorityFeePerGas === 0n
}

/**
 * Checks a message before execution, in geth's order and with its messages (core/state_transition.go, preCheck and
 * execute). Changes nothing. The transaction object supplies the gas costs.
 *
 * @param transaction - transaction of the message; an unsigned one by default
 * @throws MessageRejectedError
 */
export function preCheck(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
  transaction: Awaitable<TypedTransaction> = transactionOfMessage(evm, message),
): Awaitable<CheckedMessage> {
  return whenReady(transaction, (built) => {
    const run = (priced: PricedTransaction): Awaitable<CheckedMessage> =>
      retryUntilLoaded(() => check(evm, message, checks, priced))
    return built.data.length <= LONG_DATA
      ? run({ transaction: built })
      : priceLongData(built, evm.common).then(run)
  })
}

interface PricedTransaction {
  transaction: TypedTransaction
  /** The calldata floor, if it is known. */
  floor?: bigint
}

/** Data longer than so many bytes is counted in slices. */
const LONG_DATA = 1024 * 1024

/** Counts the bytes of long data once and in slices; the library counts them several times, each in one go. */
async function priceLongData(transaction: TypedTransaction, rules: ForkRules): Promise<PricedTransaction> {
  const { data, to, cache } = transaction
  const zeros = await runInSlices(countZeros(data), new TimeSlice())
  const others = data.length - zeros
  const ofZeros = BigInt(zeros) * rules.param('txDataZeroGas')
  let value = ofZeros + BigInt(others) * rules.param('txDataNonZeroGas')
  if (to === undefined && rules.isActivatedEIP(3860)) {
    value += BigInt(Math.ceil(data.length / 32)) * rules.param('initCodeWordGas')
  }
  cache.dataFee = { value, hardfork: rules.hardfork() }
  const counted: typeof cache & { zeros?: number } = cache
  // The built command reads it (scripts/lighterLibraries.mjs).
  counted.zeros = zeros
  if (!rules.isActivatedEIP(7623)) return { transaction, floor: 0n }
  const tokens = BigInt(zeros + TOKENS_PER_BYTE * others)
  return { transaction, floor: rules.param('txGas') + tokens * rules.param('totalCostFloorPerToken') }
}

/** EIP-7623: tokens of a byte that is not zero. */
const TOKENS_PER_BYTE = 4
const COUNTED_AT_ONCE = 256 * 1024

function* countZeros(data: Uint8Array): Steps<number> {
  let zeros = 0
  for (let start = 0; start < data.length; start += COUNTED_AT_ONCE) {
    const end = Math.min(start + COUNTED_AT_ONCE, data.length)
    for (let index = start; index < end; index++) if (data[index] === 0) zeros++
    yield
  }
  return zeros
}

function check(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
  { transaction, floor: knownFloor }: PricedTransaction,
): CheckedMessage {
  const { from, data, gasLimit } = message
  const rules = evm.common
  const sender = (): string => checksumAddress(from)
  const account = loaded(evm.state.readAccount(from))
  const nonce = account?.nonce ?? 0n
  if (checks.nonce) {
    if (nonce !== message.nonce) {
      const [word, reason] =
        nonce < message.nonce ? (['high', 'nonceTooHigh'] as const) : (['low', 'nonceTooLow'] as const)
      const details = `nonce too ${word}: address ${sender()}, tx: ${message.nonce} state: ${nonce}`
      throw rejected(details, reason)
    }
    if (nonce === MAX_NONCE) throw rejected(`nonce has max value: address ${sender()}, nonce: ${nonce}`)
  }
  if (checks.transaction) {
    if (rules.isActivatedEIP(7825) && gasLimit > MAX_TRANSACTION_GAS) {
      throw rejected(`transaction gas limit too high (cap: ${MAX_TRANSACTION_GAS}, tx: ${gasLimit})`)
    }
  }
  const code = loaded(evm.state.readCode(from))
  const hasCode = code.length > 0 && !(rules.isActivatedEIP(7702) && isDelegation(code))
  if (checks.transaction && hasCode) {
    throw rejected(`sender not an eoa: address ${sender()}, len(code): ${code.length}`)
  }
  const isFree = paysNothing(message, checks)
  if (!isFree) checkFees(evm, message)
  checkType(evm, message)
  const blobGas = checkBlobs(evm, message, checks)
  checkAuthorizations(rules, message)
  const codeLimit = message.to === undefined ? maxInitcodeSize(rules) : undefined
  if (codeLimit !== undefined && data.length > codeLimit) {
    throw rejected(`max initcode size exceeded: code size ${data.length} limit ${codeLimit}`, 'initcodeSize')
  }
  const have = account?.balance ?? 0n
  const blobFee = blobGas === 0n ? 0n : blobGas * blobFeeCap(evm, message)
  const want = gasLimit * message.maxFeePerGas + message.value + blobFee
  if (have < want) {
    const details = want >= 2n ** 256n ? 'required balance exceeds 256 bits' : `have ${have} want ${want}`
    throw rejected(
      `insufficient funds for gas * price + value: address ${sender()} ${details}`,
      'insufficientFunds',
    )
  }
  const intrinsic = transaction.getIntrinsicGas()
  if (gasLimit < intrinsic)
    throw new IntrinsicGasError(`intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`)
  const floor = knownFloor ?? getCalldataFloorGas(transaction)
  if (gasLimit < floor) {
    throw rejected(`insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`)
  }
  return { transaction, intrinsic, floor, isFree, hasCode }
}

/** Builds the transaction of a message, of the earliest type that has all its fields. */
function transactionOfMessage(evm: PooledEvm, message: Message): Awaitable<TypedTransaction> {
  const { common: rules } = evm
  const type = typeOfMessage(message, rules)
  const fields: UnsignedFields = {
    type,
    nonce: message.nonce,
    gasLimit: message.gasLimit,
    to: message.to,
    value: message.value,
    data: message.data,
    gasPrice: message.gasPrice,
    maxFeePerGas: message.maxFeePerGas,
    maxPriorityFeePerGas: message.maxPriorityFeePerGas,
    accessList: message.accessList ?? [],
  }
  if (type === 3) {
    fields.maxFeePerBlobGas = blobFeeCap(evm, message)
    const { blobVersionedHashes: hashes = [] } = message
    // The check refuses too many, whose conversion would take long.
    const areTooMany = rules.isActivatedEIP(7594) && hashes.length > MAX_BLOBS_PER_TRANSACTION
    fields.blobVersionedHashes = areTooMany ? [] : hashes
  }
  if (type === 4) fields.authorizationList = message.authorizationList
  return unsignedTransactionInSlices(fields, rules)
}

/** Returns the blob fee cap of a message; without one, it pays the blob base fee of the block. */
function blobFeeCap({ block }: PooledEvm, { maxFeePerBlobGas = 0n }: Message): bigint {
  return maxFeePerBlobGas > 0n ? maxFeePerBlobGas : (block.header.getBlobGasPrice() ?? 0n)
}

function typeOfMessage(
  { authorizationList, blobVersionedHashes }: Message,
  rules: ForkRules,
): UnsignedFields['type'] {
  if (authorizationList !== undefined) return 4
  if (blobVersionedHashes !== undefined) return 3
  if (rules.isActivatedEIP(1559)) return 2
  return rules.isActivatedEIP(2930) ? 1 : 0
}

/** The gas limit does not cover the intrinsic gas; an estimate then tries a higher one. */
export class IntrinsicGasError extends MessageRejectedError {
  constructor(message: string) {
    super(message, 'intrinsicGas')
  }
}

function rejected(message: string, reason?: RejectionReason): MessageRejectedError {
  return new MessageRejectedError(message, reason)
}

function checkFees(
  evm: PooledEvm,
  { from, maxFeePerGas, maxPriorityFeePerGas, ignoresBaseFee = false }: Message,
): void {
  const { baseFeePerGas } = evm.block.header
  if (!evm.common.isActivatedEIP(1559) || baseFeePerGas === undefined) return
  if (maxFeePerGas < maxPriorityFeePerGas) {
    throw rejected(
      `max priority fee per gas higher than max fee per gas: address ${checksumAddress(from)}, ` +
        `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
      'tipAboveFeeCap',
    )
  }
  if (maxFeePerGas < baseFeePerGas && !ignoresBaseFee) {
    throw rejected(
      `max fee per gas less than block base fee: address ${checksumAddress(from)}, ` +
        `maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFeePerGas}`,
      'feeCapTooLow',
    )
  }
}

/** Checks that the fork supports the type of transaction that the message implies. */
function checkType(evm: PooledEvm, message: Message): void {
  const { common: rules } = evm
  const type =
    message.accessList !== undefined && !rules.isActivatedEIP(2930)
      ? 'access list'
      : (message.maxFeePerBlobGas ?? message.blobVersionedHashes) !== undefined && !rules.isActivatedEIP(4844)
        ? 'blob'
        : undefined
  if (type !== undefined) throw unsupported(type, message)
}

function unsupported(type: string, { from }: Message): MessageRejectedError {
  return rejected(`transaction type not supported: ${type} tx (sender ${checksumAddress(from)})`)
}

function checkBlobs(evm: PooledEvm, message: Message, checks: MessageChecks): bigint {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas = 0n } = message
  if (hashes === undefined) return 0n
  if (message.to === undefined) throw rejected('blob transaction of type create')
  if (hashes.length === 0) throw rejected('blob transaction missing blob hashes')
  if (evm.common.isActivatedEIP(7594) && hashes.length > MAX_BLOBS_PER_TRANSACTION) {
    throw rejected('blob transaction has too many blobs')
  }
  const wrong = hashes.findIndex((hash) => hash[0] !== BLOB_HASH_VERSION)
  if (wrong >= 0) throw rejected(`blob ${wrong} has invalid hash version`)
  const blobBaseFee = evm.block.header.getBlobGasPrice() ?? 0n
  if ((checks.baseFee || maxFeePerBlobGas > 0n) && maxFeePerBlobGas < blobBaseFee) {
    throw rejected(
      `max fee per blob gas less than block blob gas fee: address ${checksumAddress(message.from)} ` +
        `blobGasFeeCap: ${maxFeePerBlobGas}, blobBaseFee: ${blobBaseFee}`,
    )
  }
  return BigInt(hashes.length) * GAS_PER_BLOB
}

function checkAuthorizations(rules: ForkRules, message: Message): void {
  const { from, to, authorizationList } = message
  if (authorizationList === undefined) return
  if (!rules.isActivatedEIP(7702)) throw unsupported('setcode', message)
  if (to === undefined) {
    throw rejected(`EIP-7702 transaction cannot be used to create contract (sender ${checksumAddress(from)})`)
  }
  if (authorizationList.length === 0) {
    throw rejected(`EIP-7702 transaction with empty auth list (sender ${checksumAddress(from)})`)
  }
}
