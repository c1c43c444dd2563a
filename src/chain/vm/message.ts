import { RLP } from '@ethereumjs/rlp'
import type { TypedTransaction } from '@ethereumjs/tx'
import { bytesEqual, hexToBytes, joinBytes, minimalBytes } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { GAS_PER_BLOB } from '../block/header.js'
import type { AccessListEntry, Authorization, CallObject } from '../calls/callObject.js'
import { CURVE_ORDER, keccak256, keccak256InSlices, recover } from '../crypto.js'
import { ChainError } from '../errors.js'
import { authorizationBytes, unsignedTransaction } from '../evm/internals.js'
import { accessListOf, authorizationListOf } from '../mempool/decode.js'
import { type PooledTransaction, maxFeePerGas, maxPriorityFeePerGas } from '../mempool/transaction.js'
import { EncodedItem, type RlpInput, encodeRlp, payloadStart } from '../rlp.js'
import type { ForkRules } from '../types.js'

/** Input of the state transition: a transaction without its signature, or a call with its defaults filled in. */
export interface Message {
  /** 20 bytes. */
  from: Uint8Array
  /** 20 bytes; absent to create a contract. */
  to: Uint8Array | undefined
  nonce: bigint
  value: bigint
  data: Uint8Array
  gasLimit: bigint
  /** The effective price in wei per gas. */
  gasPrice: bigint
  /** The fee cap in wei per gas. */
  maxFeePerGas: bigint
  /** Wei per gas. */
  maxPriorityFeePerGas: bigint
  /** Undefined if the sender gave none, as forks before Berlin require. */
  accessList?: readonly AccessListEntry[] | undefined
  /** 32 bytes each; only for blob transactions. */
  blobVersionedHashes?: readonly Uint8Array[]
  /** Wei per blob gas; for blob transactions, and for calls that set it without blobs. */
  maxFeePerBlobGas?: bigint
  /** Only for set-code transactions. */
  authorizationList?: readonly Authorization[]
  /** Whether the fee cap may be below the base fee, as in calls of anvil. */
  ignoresBaseFee?: boolean
}

/** The context that a call's defaults depend on. */
export interface CallDefaults {
  chainId: bigint
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
  /** Gas of a call that sets none, and the maximum for one that does. */
  gasCap: bigint
}

const ZERO_ADDRESS = new Uint8Array(20)
const NO_DATA = new Uint8Array(0)

/** Returns the maximum cost of a message to its sender, in wei. */
export function maximumCost(message: Message): bigint {
  const { gasLimit, maxFeePerGas, value, blobVersionedHashes = [], maxFeePerBlobGas = 0n } = message
  return (
    gasLimit * maxFeePerGas + value + BigInt(blobVersionedHashes.length) * GAS_PER_BLOB * maxFeePerBlobGas
  )
}

/**
 * Builds the message of a call (geth: internal/ethapi/transaction_args.go, CallDefaults and ToMessage).
 *
 * @throws ChainError with geth's message if the fields contradict each other or the call is for another chain
 */
export function messageFromCall(call: CallObject, { chainId, baseFee, gasCap }: CallDefaults): Message {
  if (
    call.gasPrice !== undefined &&
    (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined)
  ) {
    throw new ChainError('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (call.to === undefined) {
    if (call.blobVersionedHashes !== undefined) throw new ChainError('blob transaction of type create')
    if (call.authorizationList !== undefined) {
      throw new ChainError('EIP-7702 transaction cannot be used to create contract')
    }
  }
  if (call.chainId !== undefined && call.chainId !== chainId) {
    throw new ChainError(`chainId does not match node's (have=${call.chainId}, want=${chainId})`)
  }
  if (baseFee === undefined && (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined)) {
    throw new ChainError('maxFeePerGas and maxPriorityFeePerGas are not valid before London is active')
  }
  const { blobVersionedHashes, authorizationList } = call
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fees(call, baseFee)
  // Spreading would take longer than everything else, and few calls have blobs or authorizations.
  const message: Message = {
    from: call.from ?? ZERO_ADDRESS,
    to: call.to,
    nonce: call.nonce ?? 0n,
    value: call.value ?? 0n,
    data: call.data ?? NO_DATA,
    gasLimit: call.gas === undefined || call.gas > gasCap ? gasCap : call.gas,
    gasPrice,
    maxFeePerGas,
    maxPriorityFeePerGas,
    accessList: call.accessList,
  }
  if (blobVersionedHashes !== undefined || call.maxFeePerBlobGas !== undefined) {
    message.maxFeePerBlobGas = call.maxFeePerBlobGas ?? 0n
  }
  if (blobVersionedHashes !== undefined) message.blobVersionedHashes = blobVersionedHashes
  if (authorizationList !== undefined) message.authorizationList = authorizationList
  return message
}

type Fees = Pick<Message, 'gasPrice' | 'maxFeePerGas' | 'maxPriorityFeePerGas'>

function fees(call: CallObject, baseFee: bigint | undefined): Fees {
  if (call.gasPrice !== undefined || baseFee === undefined) {
    const gasPrice = call.gasPrice ?? 0n
    return { gasPrice, maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  }
  const maxFeePerGas = call.maxFeePerGas ?? 0n
  const maxPriorityFeePerGas = call.maxPriorityFeePerGas ?? 0n
  const isFree = maxFeePerGas === 0n && maxPriorityFeePerGas === 0n
  const gasPrice = isFree ? 0n : effectiveGasPrice({ maxFeePerGas, maxPriorityFeePerGas }, baseFee)
  return { gasPrice, maxFeePerGas, maxPriorityFeePerGas }
}

/** Returns the wei per gas that is paid at a base fee (EIP-1559). */
export function effectiveGasPrice(
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Message, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  baseFee: bigint,
): bigint {
  const price = baseFee + maxPriorityFeePerGas
  return price < maxFeePerGas ? price : maxFeePerGas
}

/** Builds the message of a transaction in a block with this base fee (wei per gas; undefined before London). */
export function messageFromTransaction(
  { transaction, sender }: Pick<PooledTransaction, 'transaction' | 'sender'>,
  baseFee: bigint | undefined,
): Message {
  const fees = {
    maxFeePerGas: maxFeePerGas(transaction),
    maxPriorityFeePerGas: maxPriorityFeePerGas(transaction),
  }
  const message: Message = {
    from: sender,
    to: transaction.to?.bytes,
    nonce: transaction.nonce,
    value: transaction.value,
    data: transaction.data,
    gasLimit: transaction.gasLimit,
    gasPrice: baseFee === undefined ? fees.maxFeePerGas : effectiveGasPrice(fees, baseFee),
    maxFeePerGas: fees.maxFeePerGas,
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    accessList: 'accessList' in transaction ? accessListOf(transaction) : undefined,
  }
  if ('blobVersionedHashes' in transaction) {
    message.blobVersionedHashes = transaction.blobVersionedHashes.map(hexToBytes)
    message.maxFeePerBlobGas = transaction.maxFeePerBlobGas
  }
  if ('authorizationList' in transaction) {
    message.authorizationList = authorizationListOf(transaction)
  }
  return message
}

/** EIP-7702: prefix of the code of a delegating account; the address follows. */
const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
/** EIP-7702: prefix of the RLP that an authorization signs. */
const MAGIC = 0x05
/** EIP-2: s must not exceed half the order of the curve. */
const HALF_ORDER = CURVE_ORDER / 2n

/** Whether code is a delegation to another account (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === PREFIX.length + 20 && bytesEqual(code.subarray(0, PREFIX.length), PREFIX)
}

/** Returns the 20-byte address that a delegation names, or undefined if the code is not a delegation. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return isDelegation(code) ? code.subarray(PREFIX.length) : undefined
}

/** Returns the code that delegates to a 20-byte address. */
export function delegationCode(address: Uint8Array): Uint8Array {
  const code = new Uint8Array(PREFIX.length + 20)
  code.set(PREFIX)
  code.set(address, PREFIX.length)
  return code
}

/** Recovers the 20-byte signer of an authorization, or returns undefined if the signature is invalid. */
export function recoverAuthority({
  chainId,
  address,
  nonce,
  yParity,
  r,
  s,
}: Authorization): Uint8Array | undefined {
  if (yParity > 1n || s > HALF_ORDER) return undefined
  const fields = RLP.encode([minimalBytes(chainId), address, minimalBytes(nonce)])
  const signed = new Uint8Array(fields.length + 1)
  signed[0] = MAGIC
  signed.set(fields, 1)
  try {
    return recover(keccak256(signed), { r, s, yParity: yParity === 0n ? 0 : 1 })
  } catch {
    return undefined
  }
}

/**
 * Builds the unsigned transaction of a call, of type 2 unless the call implies another (geth:
 * internal/ethapi/transaction_args.go, ToTransaction).
 *
 * @param message - the call with its defaults filled in
 */
export function unsignedTransactionOf(
  { gasPrice, authorizationList, blobVersionedHashes }: CallObject,
  message: Message,
  rules: ForkRules,
): TypedTransaction {
  const { accessList, maxFeePerGas } = message
  const isPriced = gasPrice !== undefined || !rules.isActivatedEIP(1559)
  const legacyType = accessList === undefined ? 0 : 1
  const feeMarketType = authorizationList !== undefined ? 4 : blobVersionedHashes !== undefined ? 3 : 2
  return unsignedTransaction(
    {
      ...message,
      type: isPriced ? legacyType : feeMarketType,
      gasPrice: maxFeePerGas,
      accessList: accessList ?? [],
    },
    rules,
  )
}

/** Index of the access list among a transaction's fields, by type (EIP-2930, EIP-1559, EIP-4844, EIP-7702). */
const accessListIndex: Readonly<Record<number, number>> = { 1: 7, 2: 8, 3: 8, 4: 8 }
/** Index of the authorization list among the fields of a set-code transaction (EIP-7702). */
const AUTHORIZATION_LIST_INDEX = 9
/** Index of the versioned hashes among the fields of a blob transaction (EIP-4844). */
const BLOB_HASHES_INDEX = 10
/** List entries encoded between two yields. */
const ENTRIES_AT_ONCE = 512

/** Hashes {@link unsignedTransactionOf} incrementally. @returns 32 bytes */
export async function unsignedHashOf(
  call: CallObject,
  message: Message,
  rules: ForkRules,
): Promise<Uint8Array> {
  return keccak256InSlices(await encodeUnsigned(call, message, rules))
}

/**
 * Serializes {@link unsignedTransactionOf} incrementally: yields between pieces, since the lists may have megabytes.
 */
export async function encodeUnsigned(
  call: CallObject,
  message: Message,
  rules: ForkRules,
): Promise<Uint8Array> {
  const { accessList = [], authorizationList = [], blobVersionedHashes = [] } = message
  const withoutLists = { ...message }
  if (message.accessList !== undefined) withoutLists.accessList = []
  if (message.authorizationList !== undefined) withoutLists.authorizationList = []
  if (message.blobVersionedHashes !== undefined) withoutLists.blobVersionedHashes = []
  const transaction = unsignedTransactionOf(call, withoutLists, rules)
  const index = accessListIndex[transaction.type]
  const fields: RlpInput[] = [...(transaction.raw() as RlpInput[])]
  if (index === undefined) return encodeRlp(fields)
  const slice = new TimeSlice()
  fields[index] = await runInSlices(encodeList(accessList, accessListFields), slice)
  if (transaction.type === 3) {
    fields[BLOB_HASHES_INDEX] = await runInSlices(encodeList(blobVersionedHashes, hashField), slice)
  }
  if (transaction.type === 4) {
    fields[AUTHORIZATION_LIST_INDEX] = await runInSlices(
      encodeList(authorizationList, authorizationFields),
      slice,
    )
  }
  const encoded = encodeRlp(fields, 1)
  encoded[0] = transaction.type
  return encoded
}

function* accessListFields({ address, storageKeys }: AccessListEntry): Steps<RlpInput> {
  if (storageKeys.length <= ENTRIES_AT_ONCE) return [address, storageKeys]
  const parts: EncodedItem[] = []
  for (let start = 0; start < storageKeys.length; start += ENTRIES_AT_ONCE) {
    const keys = encodeRlp(storageKeys.slice(start, start + ENTRIES_AT_ONCE))
    parts.push(new EncodedItem(keys.subarray(payloadStart(keys, 0))))
    yield
  }
  return [address, parts]
}

function* authorizationFields(authorization: Authorization): Steps<RlpInput> {
  yield
  return authorizationBytes(authorization)
}

function* hashField(hash: Uint8Array): Steps<RlpInput> {
  yield
  return hash
}

function* encodeList<T>(list: readonly T[], fieldsOf: (item: T) => Steps<RlpInput>): Steps<EncodedItem> {
  const parts: EncodedItem[] = []
  let entries: Uint8Array[] = []
  for (const item of list) {
    entries.push(encodeRlp(yield* fieldsOf(item)))
    if (entries.length === ENTRIES_AT_ONCE) {
      parts.push(new EncodedItem(joinBytes(entries)))
      entries = []
      yield
    }
  }
  return new EncodedItem(encodeRlp([...parts, new EncodedItem(joinBytes(entries))]))
}
