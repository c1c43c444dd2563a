import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import {
  type TypedTransaction,
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
} from '@ethereumjs/tx'
import { Address } from '@ethereumjs/util'
import { MAX_UINT256, MAX_UINT64 } from '../../encoding/bigints.js'
import { errorText } from '../../encoding/errorText.js'
import { type Hex, bigintToBytes, bytesToHex, hexToBytes, quantity } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runWithin } from '../../encoding/timeSlice.js'
import { rememberSerialized, serializedTransaction } from '../block/body.js'
import { BLOB_HASH_VERSION } from '../block/header.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { CURVE_ORDER, keccak256, recover } from '../crypto.js'
import { TransactionRejectedError } from '../errors.js'
import { MAX_TRANSACTION_GAS } from '../evm/forkSchedule.js'
import { encodeList, encodeRlp, encodeString, itemEnd, payloadStart } from '../rlp.js'
import type { ForkRules } from '../types.js'
import { type TransactionFields, decodeTransaction } from './decode.js'

/** The blobs of a blob transaction and their proofs. They travel beside the transaction and are in no block. */
export interface BlobSidecar {
  /** 0 for one proof per blob (EIP-4844), 1 for one proof per cell (EIP-7594). */
  version: 0 | 1
  /** 131,072 bytes each. */
  blobs: readonly Uint8Array[]
  /** 48 bytes each. */
  commitments: readonly Uint8Array[]
  /** 48 bytes each. */
  proofs: readonly Uint8Array[]
}

/** A transaction in the mempool. */
export interface PooledTransaction {
  transaction: TypedTransaction
  /** 32 bytes. */
  hash: Uint8Array
  /** 20 bytes; recovered from the signature, or the impersonated account. */
  sender: Uint8Array
  /** Whether the sender is impersonated, in which case the signature is meaningless. */
  impersonated: boolean
  /** Only for blob transactions. */
  sidecar?: BlobSidecar
}

/** Listeners for transactions that become pending. */
export class PendingListeners {
  readonly #listeners = new Set<(transaction: PooledTransaction) => void>()

  /** @returns a function that ends the subscription */
  subscribe(listener: (transaction: PooledTransaction) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(transaction: PooledTransaction): void {
    for (const listener of this.#listeners) listener(transaction)
  }

  /**
   * Announces the pending transactions of a sender, starting at a nonce. There are many if they waited for one.
   *
   * @param known - a transaction to leave out
   */
  notifyFrom(nonce: bigint, queue: PendingQueue, known?: PooledTransaction): Awaitable<void> {
    if (this.#listeners.size === 0) return
    return runWithin(this.#notifyEach(queue.pendingFrom(nonce), known), new TimeSlice())
  }

  *#notifyEach(pending: readonly PooledTransaction[], known?: PooledTransaction): Steps<void> {
    for (const transaction of pending) {
      if (transaction === known) continue
      this.notify(transaction)
      yield
    }
  }
}

interface PendingQueue {
  pendingFrom(nonce: bigint): readonly PooledTransaction[]
}

/** Whether a transaction carries blobs (EIP-4844). */
export function isBlob({ transaction }: Pick<PooledTransaction, 'transaction'>): boolean {
  return 'blobVersionedHashes' in transaction
}

/** Returns the fee cap of a transaction in wei per gas. */
export function maxFeePerGas(transaction: TypedTransaction): bigint {
  return 'maxFeePerGas' in transaction ? transaction.maxFeePerGas : transaction.gasPrice
}

/** Returns the tip cap of a transaction in wei per gas. */
export function maxPriorityFeePerGas(transaction: TypedTransaction): bigint {
  return 'maxPriorityFeePerGas' in transaction ? transaction.maxPriorityFeePerGas : transaction.gasPrice
}

/** Returns the wei per gas that the block producer earns at a base fee; undefined if the base fee is not covered. */
export function effectiveTip(transaction: TypedTransaction, baseFee: bigint): bigint | undefined {
  const above = maxFeePerGas(transaction) - baseFee
  if (above < 0n) return undefined
  const tip = maxPriorityFeePerGas(transaction)
  return above < tip ? above : tip
}

/** v (or yParity), r and s. */
const SIGNATURE_FIELDS = 3

/**
 * Checks that a transaction is signed for this chain (geth: core/types/transaction_signing.go).
 *
 * @throws TransactionRejectedError
 */
export function checkSignature(fields: TransactionFields, rules: ForkRules): void {
  checkChainId(fields, rules)
  const { type, v, r, s } = fields
  const isVersionSound = type === 0 ? v === 27n || v === 28n || v >= 35n : v <= 1n
  const largestS = rules.gteHardfork('homestead') ? CURVE_ORDER / 2n : CURVE_ORDER - 1n
  if (!isVersionSound || r === 0n || r >= CURVE_ORDER || s === 0n || s > largestS) {
    throw invalidSender('invalid transaction v, r, s values')
  }
}

/** @throws TransactionRejectedError if a transaction is for another chain */
export function checkChainId({ type, chainId }: TransactionFields, rules: ForkRules): void {
  if (chainId === undefined || chainId === rules.chainId()) return
  throw new TransactionRejectedError(
    `invalid sender: invalid chain id for signer: have ${chainId} want ${rules.chainId()}`,
    { type: BigInt(type) },
  )
}

/**
 * Builds a signed transaction with its hash and the sender recovered from the signature.
 *
 * @throws TransactionRejectedError if the signature recovers to no key, or the fields are invalid
 */
export function recoverTransaction(fields: TransactionFields, rules: ForkRules): PooledTransaction {
  const transaction = create(fields, rules)
  const { sidecar } = fields
  return {
    transaction,
    hash: keccak256(serializedTransaction(transaction)),
    sender: recoverSender(() => transaction, fields),
    impersonated: false,
    sidecar,
  }
}

/**
 * Recovers the sender of a transaction, even if its fields are inconsistent.
 *
 * @returns 20 bytes
 * @throws TransactionRejectedError if the signature recovers to no key
 */
export function senderOf(fields: TransactionFields, rules: ForkRules): Uint8Array {
  return recoverSender(() => create(fields, rules), fields)
}

/** Returns the hash that the sender signed. */
function signedHash(
  made: () => PooledTransaction['transaction'],
  { type, raw, chainId }: Pick<TransactionFields, 'type' | 'raw' | 'chainId'>,
): Uint8Array {
  if (raw !== undefined) return keccak256(type === 0 ? signedLegacy(raw, chainId) : signedTyped(raw))
  const transaction = made()
  const message = transaction.getMessageToSign()
  return keccak256(message instanceof Uint8Array ? message : encodeRlp(message))
}

/** Returns the fields of an encoded list without the last three. */
function withoutSignature(list: Uint8Array): Uint8Array {
  const starts: number[] = []
  const start = payloadStart(list, 0)
  for (let at = start; at < list.length; at = itemEnd(list, at)) starts.push(at)
  return list.subarray(start, starts.at(-SIGNATURE_FIELDS))
}

/** Returns the signed content of a legacy transaction: its fields, and the chain id if it names one (EIP-155). */
function signedLegacy(raw: Uint8Array, chainId: bigint | undefined): Uint8Array {
  const fields = withoutSignature(raw)
  if (chainId === undefined) return encodeList([fields])
  const bytes = bigintToBytes(chainId, Math.ceil(chainId.toString(16).length / 2))
  const none = encodeString(new Uint8Array(0))
  return encodeList([fields, encodeString(bytes), none, none])
}

/** Returns the signed content of a typed transaction: all but the signature (EIP-2930, EIP-1559, EIP-7702). */
function signedTyped(raw: Uint8Array): Uint8Array {
  const unsigned = encodeList([withoutSignature(raw.subarray(1))])
  const typed = new Uint8Array(unsigned.length + 1)
  typed.set(raw.subarray(0, 1))
  typed.set(unsigned, 1)
  return typed
}

/**
 * Creates the transaction object. Whatever ethereumjs rejects beyond the mempool's checks, such as sums beyond 256
 * bits, is also the sender's fault.
 */
function create(fields: TransactionFields, rules: ForkRules): PooledTransaction['transaction'] {
  try {
    const transaction = createTransaction(fields, rules)
    if (fields.raw !== undefined) rememberSerialized(transaction, fields.raw)
    return transaction
  } catch (error) {
    throw new TransactionRejectedError(errorText(error))
  }
}

function recoverSender(
  made: () => PooledTransaction['transaction'],
  { v, r, s, type, raw, chainId }: TransactionFields,
): Uint8Array {
  // 27 and 35 are odd, and EIP-155 adds an even number.
  const yParity = (type === 0 ? v + 1n : v) % 2n === 0n ? 0 : 1
  try {
    return recover(signedHash(made, { type, raw, chainId }), { r, s, yParity })
  } catch {
    throw invalidSender('recovery failed')
  }
}

function invalidSender(message: string): TransactionRejectedError {
  return new TransactionRejectedError(`invalid sender: ${message}`)
}

/** The fields of a transaction, signed or unsigned. */
export type CreatableFields = Omit<TransactionFields, 'v' | 'r' | 's' | 'size' | 'raw' | 'sidecar'> &
  Partial<Pick<TransactionFields, 'v' | 'r' | 's'>>

/** The fork that introduced each transaction type. */
export const typeForks: Readonly<
  Record<TransactionFields['type'], { eip: number; name: string } | undefined>
> = {
  0: undefined,
  1: { eip: 2930, name: 'Berlin' },
  2: { eip: 1559, name: 'London' },
  3: { eip: 4844, name: 'Cancun' },
  4: { eip: 7702, name: 'Prague' },
}

/**
 * Creates the ethereumjs object of a transaction; a blob transaction has no sidecar, as in a block.
 *
 * @throws TransactionRejectedError with geth's message if the fork does not support the type or rejects the fields, or
 *   numbers are too large for any account
 * @throws Error if the fields break a rule that the mempool checks earlier
 */
export function createTransaction(fields: CreatableFields, rules: ForkRules): TypedTransaction {
  checkMagnitudes(fields)
  checkType(fields.type, rules)
  checkRules(fields, rules)
  // Not frozen, because execution sets the sender on it.
  const options = { common: rules, allowUnlimitedInitCodeSize: true, freeze: false }
  const { type, nonce, gasLimit, value, data, v, r, s } = fields
  const shared = {
    nonce,
    gasLimit,
    value,
    data,
    ...(fields.to === undefined ? {} : { to: new Address(fields.to) }),
    ...(v === undefined ? {} : { v, r, s }),
  }
  if (type === 0) return createLegacyTx({ ...shared, gasPrice: fields.gasPrice }, options)
  const typed = { ...shared, chainId: fields.chainId, accessList: toAccessList(fields.accessList) }
  if (type === 1) return createAccessList2930Tx({ ...typed, gasPrice: fields.gasPrice }, options)
  const { maxFeePerGas, maxPriorityFeePerGas } = fields
  const feeMarket = { ...typed, maxFeePerGas, maxPriorityFeePerGas }
  if (type === 2) return createFeeMarket1559Tx(feeMarket, options)
  if (type === 3) {
    const blobVersionedHashes = (fields.blobVersionedHashes ?? []).map(bytesToHex)
    return createBlob4844Tx(
      { ...feeMarket, maxFeePerBlobGas: fields.maxFeePerBlobGas, blobVersionedHashes },
      options,
    )
  }
  const authorizationList = (fields.authorizationList ?? []).map(toAuthorization)
  return createEOACode7702Tx({ ...feeMarket, authorizationList }, options)
}

/** Checks magnitudes that ethereumjs treats as programming errors, without messages for users. */
function checkMagnitudes({ nonce, gasLimit, gasPrice = 0n, maxFeePerGas = 0n }: CreatableFields): void {
  if (nonce >= MAX_UINT64) throw new TransactionRejectedError('nonce has max value')
  const price = gasPrice > maxFeePerGas ? gasPrice : maxFeePerGas
  if (gasLimit * price > MAX_UINT256) {
    throw new TransactionRejectedError(
      'insufficient funds for gas * price + value: required balance exceeds 256 bits',
    )
  }
}

/**
 * @throws TransactionRejectedError if the fork does not support a transaction type
 */
export function checkType(type: TransactionFields['type'], rules: ForkRules): void {
  const fork = typeForks[type]
  if (fork === undefined || rules.isActivatedEIP(fork.eip)) return
  // geth's pool looks for typed transactions as such first.
  const name = rules.gteHardfork('berlin') ? fork.name : 'Berlin'
  throw new TransactionRejectedError(
    `transaction type not supported: type ${type} rejected, pool not yet in ${name}`,
  )
}

/**
 * @throws TransactionRejectedError if the gas limit exceeds the fork's cap (EIP-7825)
 */
export function checkGasLimit(gasLimit: bigint, rules: ForkRules): void {
  if (!rules.isActivatedEIP(7825) || gasLimit <= MAX_TRANSACTION_GAS) return
  throw new TransactionRejectedError(
    `transaction gas limit too high (cap: ${MAX_TRANSACTION_GAS}, tx: ${gasLimit})`,
  )
}

/** Checks, with the mempool's messages, what the library treats as programming errors. */
function checkRules(fields: CreatableFields, rules: ForkRules): void {
  const { type, gasLimit, authorizationList, blobVersionedHashes = [] } = fields
  const { maxFeePerGas: maxFee = 0n, maxPriorityFeePerGas: tip = 0n } = fields
  checkGasLimit(gasLimit, rules)
  if (type > 1 && tip > maxFee) {
    throw new TransactionRejectedError('max priority fee per gas higher than max fee per gas', {
      tip,
      maxFee,
    })
  }
  if (type === 4 && authorizationList?.length === 0) {
    throw new TransactionRejectedError('set code tx must have at least one authorization tuple')
  }
  const wrong = blobVersionedHashes.findIndex((hash) => hash[0] !== BLOB_HASH_VERSION)
  if (wrong >= 0) throw new TransactionRejectedError(`blob ${wrong} has invalid hash version`)
}

function toAccessList(list: readonly AccessListEntry[]): { address: Hex; storageKeys: Hex[] }[] {
  return list.map(({ address, storageKeys }) => ({
    address: bytesToHex(address),
    storageKeys: storageKeys.map(bytesToHex),
  }))
}

function toAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization) {
  return {
    chainId: quantity(chainId),
    address: bytesToHex(address),
    nonce: quantity(nonce),
    yParity: quantity(yParity),
    r: quantity(r),
    s: quantity(s),
  }
}

/** The effect of a signed transaction, independent of its nonce, fees and signature. */
export interface TransactionEffect {
  /** Members that distinguish transactions, in wire format. */
  does: Readonly<Record<string, unknown>>
  /** 32 bytes in lower-case hexadecimal. */
  hash: Hex
}

/**
 * Decodes the effect of a signed transaction of any chain.
 *
 * @param raw - the EIP-2718 encoding in hexadecimal
 * @returns undefined if it is not a transaction
 */
export function readTransactionEffect(raw: string): TransactionEffect | undefined {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(raw)) return undefined
  try {
    const fields = decodeTransaction(hexToBytes(raw))
    const { chainId, to, value, data, accessList, blobVersionedHashes, authorizationList } = fields
    const chain = { ...Mainnet, chainId: Number(chainId ?? 1n) }
    const { hash, sender } = recoverTransaction(fields, new Common({ chain, hardfork: Hardfork.Prague }))
    const does = {
      from: bytesToHex(sender),
      to: to === undefined ? null : bytesToHex(to),
      value: quantity(value),
      data: bytesToHex(data),
      chainId: chainId === undefined ? null : quantity(chainId),
      ...(accessList.length > 0 && { accessList: toAccessList(accessList) }),
      ...(blobVersionedHashes && { blobVersionedHashes: blobVersionedHashes.map(bytesToHex) }),
      ...(authorizationList && {
        authorizationList: authorizationList.map(({ chainId: signedFor, address }) => ({
          chainId: quantity(signedFor),
          address: bytesToHex(address),
        })),
      }),
    }
    return { does, hash: bytesToHex(hash) }
  } catch {
    return undefined
  }
}

/** Maximum bytes of a transaction's data and of its lists. Mempools accept 128 KiB for the whole transaction. */
const MAX_DATA_BYTES = 2 * 1024 * 1024
const MAX_LIST_BYTES = 256 * 1024
/** Bytes of an encoded address, hash and authorization, without numbers that vary (EIP-2930, EIP-7702). */
const ADDRESS_BYTES = 21
const HASH_BYTES = 33
const AUTHORIZATION_BYTES = 91

/**
 * Refuses what takes long to sign and no mempool accepts.
 *
 * @throws TransactionRejectedError
 */
export function checkSizes(
  data: Uint8Array,
  accessList: readonly AccessListEntry[],
  authorizations: readonly Authorization[] = [],
): void {
  const check = (size: number, limit: number): void => {
    if (size <= limit) return
    throw new TransactionRejectedError(`oversized data: transaction size ${size}, limit ${limit}`)
  }
  check(data.length, MAX_DATA_BYTES)
  let size = authorizations.length * AUTHORIZATION_BYTES
  for (const { storageKeys } of accessList) size += ADDRESS_BYTES + storageKeys.length * HASH_BYTES
  check(size, MAX_LIST_BYTES)
}
