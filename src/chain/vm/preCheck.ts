import type { Awaitable } from '../../encoding/timeSlice.js'
import { type TypedTransaction, getCalldataFloorGas } from '@ethereumjs/tx'
import { checksumAddress } from '../accounts/address.js'
import { GAS_PER_BLOB } from '../block/header.js'
import { MessageRejectedError, type RejectionReason } from '../errors.js'
import { loaded, retryUntilLoaded } from '../evm/frameEnvironment.js'
import type { PooledEvm } from '../evm/pooledEvm.js'
import { MAX_TRANSACTION_GAS } from '../evm/forkSchedule.js'
import type { ForkRules } from '../types.js'
import { type UnsignedFields, unsignedTransaction } from '../evm/internals.js'
import { type Message, isDelegation } from './message.js'

/** EIP-7594: blobs of one transaction. */
export const MAX_BLOBS_PER_TRANSACTION = 6
/** EIP-4844, VERSIONED_HASH_VERSION_KZG. */
const BLOB_HASH_VERSION = 0x01
const MAX_NONCE = 2n ** 64n - 1n

/** Most bytes of creation code (EIP-3860), or as many as the chain allows in the place of that; undefined before. */
export function maxInitcodeSize(rules: ForkRules): bigint | undefined {
  return rules.isActivatedEIP(3860) ? rules.param('maxInitCodeSize') : undefined
}

/** Which checks a message goes through; calls leave some out. */
export interface MessageChecks {
  /** The nonce is the sender's next one. */
  nonce: boolean
  /** The sender is no contract (EIP-3607), and the gas is within EIP-7825's cap where that is in force. */
  transaction: boolean
  /** The fees reach the block's, even if they are zero. */
  baseFee: boolean
}

/** All checks: what a transaction in a block goes through. */
export const transactionChecks: MessageChecks = { nonce: true, transaction: true, baseFee: true }
/** What eth_call and its kin check. */
export const callChecks: MessageChecks = { nonce: false, transaction: false, baseFee: false }

/** What the checks found out for the run that follows. */
export interface CheckedMessage {
  transaction: TypedTransaction
  /** Gas that is paid before the first opcode. */
  intrinsic: bigint
  /** EIP-7623; zero where it is not in force. */
  floor: bigint
  /** Whether nothing is paid and nothing goes to the coinbase. */
  isFree: boolean
  /** Whether the sender has code of its own, which is no delegation (EIP-7702). */
  hasCode: boolean
}

/** Whether the sender offers no fee at all and need not. */
function paysNothing(message: Message, checks: MessageChecks): boolean {
  return !checks.baseFee && message.maxFeePerGas === 0n && message.maxPriorityFeePerGas === 0n
}

/**
 * The checks before a message executes, in geth's order and words (core/state_transition.go, preCheck and execute).
 * They change nothing. What they cost in gas is for the transaction object to say.
 *
 * @param transaction - of the message; one without a signature is made unless it is given
 * @throws MessageRejectedError
 */
export function preCheck(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
  transaction: TypedTransaction = transactionOfMessage(evm, message),
): Awaitable<CheckedMessage> {
  return retryUntilLoaded(() => check(evm, message, checks, transaction))
}

function check(
  evm: PooledEvm,
  message: Message,
  checks: MessageChecks,
  transaction: TypedTransaction,
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
      const words = `nonce too ${word}: address ${sender()}, tx: ${message.nonce} state: ${nonce}`
      throw rejected(words, reason)
    }
  }
  // A creation takes its address from the nonce, and leaves one more behind.
  if (nonce === MAX_NONCE && (checks.nonce || message.to === undefined)) {
    throw rejected(`nonce has max value: address ${sender()}, nonce: ${nonce}`)
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
  const want = gasLimit * message.maxFeePerGas + message.value + blobGas * (message.maxFeePerBlobGas ?? 0n)
  if (have < want) {
    const words = want >= 2n ** 256n ? 'required balance exceeds 256 bits' : `have ${have} want ${want}`
    throw rejected(
      `insufficient funds for gas * price + value: address ${sender()} ${words}`,
      'insufficientFunds',
    )
  }
  const intrinsic = transaction.getIntrinsicGas()
  if (gasLimit < intrinsic)
    throw new IntrinsicGasError(`intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`)
  const floor = getCalldataFloorGas(transaction)
  if (gasLimit < floor) {
    throw rejected(`insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`)
  }
  return { transaction, intrinsic, floor, isFree, hasCode }
}

/** The transaction that a message would be, of the earliest type that has all of its fields. */
function transactionOfMessage(evm: PooledEvm, message: Message): TypedTransaction {
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
    const { maxFeePerBlobGas = 0n, blobVersionedHashes } = message
    // A call that names no fee for its blobs pays what the block asks for.
    fields.maxFeePerBlobGas =
      maxFeePerBlobGas > 0n ? maxFeePerBlobGas : (evm.block.header.getBlobGasPrice() ?? 0n)
    fields.blobVersionedHashes = blobVersionedHashes
  }
  if (type === 4) fields.authorizationList = message.authorizationList
  return unsignedTransaction(fields, rules)
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

/** The gas of a message does not cover what it costs before its first opcode: an estimate then tries more. */
export class IntrinsicGasError extends MessageRejectedError {
  constructor(words: string) {
    super(words, 'intrinsicGas')
  }
}

function rejected(words: string, reason?: RejectionReason): MessageRejectedError {
  return new MessageRejectedError(words, reason)
}

function checkFees(evm: PooledEvm, { from, maxFeePerGas, maxPriorityFeePerGas }: Message): void {
  const { baseFeePerGas } = evm.block.header
  if (!evm.common.isActivatedEIP(1559) || baseFeePerGas === undefined) return
  if (maxFeePerGas < maxPriorityFeePerGas) {
    throw rejected(
      `max priority fee per gas higher than max fee per gas: address ${checksumAddress(from)}, ` +
        `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
      'tipAboveFeeCap',
    )
  }
  if (maxFeePerGas < baseFeePerGas) {
    throw rejected(
      `max fee per gas less than block base fee: address ${checksumAddress(from)}, ` +
        `maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFeePerGas}`,
      'feeCapTooLow',
    )
  }
}

/** Whether the fork knows the type of transaction that the message would be. */
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
