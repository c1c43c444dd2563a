import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import {
  type TypedTransaction,
  createAccessList2930Tx,
  createBlob4844Tx,
  createEOACode7702Tx,
  createFeeMarket1559Tx,
  createLegacyTx,
} from '@ethereumjs/tx'
import { Address, createZeroAddress } from '@ethereumjs/util'
import { bytesEqual, bytesToHex, hexToBytes, minimalBytes } from '../../encoding/hex.js'
import { GAS_PER_BLOB } from '../block/header.js'
import type { AccessListEntry, Authorization, CallObject } from '../calls/callObject.js'
import { keccak256, recover } from '../crypto.js'
import { kzg } from '../crypto/outcome.js'
import { ChainError } from '../errors.js'
import { accessListOf, authorizationListOf } from '../mempool/fieldReader.js'
import { type PooledTransaction, maxFeePerGas, maxPriorityFeePerGas } from '../mempool/transaction.js'
import type { ForkRules } from '../types.js'

/** What the state transition runs: a transaction without its signature, or a call with its defaults filled in. */
export interface Message {
  /** 20 bytes. */
  from: Uint8Array
  /** 20 bytes; without it the data creates a contract. */
  to: Uint8Array | undefined
  nonce: bigint
  value: bigint
  data: Uint8Array
  gasLimit: bigint
  /** Wei per gas that is really paid. */
  gasPrice: bigint
  /** Wei per gas that the sender would pay at most. */
  maxFeePerGas: bigint
  /** Wei per gas. */
  maxPriorityFeePerGas: bigint
  /** Undefined where the sender named none, which older forks ask for. */
  accessList?: readonly AccessListEntry[] | undefined
  /** 32 bytes each; blob transactions only. */
  blobVersionedHashes?: readonly Uint8Array[]
  /** Wei per blob gas; of blob transactions, and of calls that name it without blobs. */
  maxFeePerBlobGas?: bigint
  /** Set-code transactions only. */
  authorizationList?: readonly Authorization[]
}

/** What a call's defaults depend on. */
export interface CallDefaults {
  chainId: bigint
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
  /** The gas of a call that names none, and the most that it gets. */
  gasCap: bigint
}

const ZERO_ADDRESS = new Uint8Array(20)
const NO_DATA = new Uint8Array(0)

/** The wei that a message costs its sender at most. */
export function mostCost(message: Message): bigint {
  const { gasLimit, maxFeePerGas, value, blobVersionedHashes = [], maxFeePerBlobGas = 0n } = message
  return (
    gasLimit * maxFeePerGas + value + BigInt(blobVersionedHashes.length) * GAS_PER_BLOB * maxFeePerBlobGas
  )
}

/**
 * The message of a call (geth: internal/ethapi/transaction_args.go, CallDefaults and ToMessage).
 *
 * @throws ChainError in geth's words if the fields contradict each other or the call is for another chain.
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
  // Spreading parts into the message takes longer than all the rest, and few calls have blobs or authorizations.
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

/** The wei per gas that is paid at a base fee (EIP-1559). */
export function effectiveGasPrice(
  { maxFeePerGas, maxPriorityFeePerGas }: Pick<Message, 'maxFeePerGas' | 'maxPriorityFeePerGas'>,
  baseFee: bigint,
): bigint {
  const price = baseFee + maxPriorityFeePerGas
  return price < maxFeePerGas ? price : maxFeePerGas
}

/** The message of a transaction in a block of this base fee (wei per gas; undefined before London). */
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

/** EIP-7702: what stands before the address in the code of an account that runs another's. */
const PREFIX = Uint8Array.of(0xef, 0x01, 0x00)
/** EIP-7702: what stands before the RLP of the signed fields. */
const MAGIC = 0x05
/** EIP-2: the upper half of the curve's order is not used for s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Whether code is a delegation to another account's (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === PREFIX.length + 20 && bytesEqual(code.subarray(0, PREFIX.length), PREFIX)
}

/** The 20-byte address that a delegation names, or undefined if the code is none. */
export function delegationTarget(code: Uint8Array): Uint8Array | undefined {
  return isDelegation(code) ? code.subarray(PREFIX.length) : undefined
}

/** The code of an account that delegates to a 20-byte address. */
export function delegationCode(address: Uint8Array): Uint8Array {
  const code = new Uint8Array(PREFIX.length + 20)
  code.set(PREFIX)
  code.set(address, PREFIX.length)
  return code
}

/** The 20-byte address that signed an authorization, or undefined if its signature belongs to none. */
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

/** The fields of a transaction, without its signature. Amounts are wei. */
export interface UnsignedFields {
  type: 0 | 1 | 2 | 3 | 4
  nonce: bigint
  gasLimit: bigint
  /** 20 bytes; absent for a contract creation. */
  to?: Uint8Array | undefined
  value: bigint
  data: Uint8Array
  /** Types 0 and 1. */
  gasPrice?: bigint | undefined
  /** Types 2, 3 and 4. */
  maxFeePerGas?: bigint | undefined
  maxPriorityFeePerGas?: bigint | undefined
  accessList: readonly AccessListEntry[]
  /** Type 3. */
  maxFeePerBlobGas?: bigint | undefined
  /** Type 3; 32 bytes each. */
  blobVersionedHashes?: readonly Uint8Array[] | undefined
  /** Type 4. */
  authorizationList?: readonly Authorization[] | undefined
}

/** The members of a transaction object, as @ethereumjs/tx holds them. */
type Members = Record<string, unknown>

/**
 * A transaction object of @ethereumjs/tx without a signature, for calls, estimates and simulations.
 *
 * The constructors of the library refuse what a call may do: more gas than EIP-7825 allows, a list that its fork does
 * not know yet, any nonce. So these fields are put into an object with the methods of the library's class. Callers check
 * the fields themselves.
 */
export function unsignedTransaction(fields: UnsignedFields, rules: ForkRules): TypedTransaction {
  const { type, to } = fields
  const empty = emptyTransaction(type)
  const transaction = Object.create(Object.getPrototypeOf(empty) as object) as Members
  transaction['type'] = type
  transaction['activeCapabilities'] = empty['activeCapabilities']
  transaction['txOptions'] = empty['txOptions']
  transaction['common'] = rules
  transaction['cache'] = {}
  transaction['keccakFunction'] = empty['keccakFunction']
  transaction['nonce'] = fields.nonce
  transaction['gasLimit'] = fields.gasLimit
  transaction['to'] = to === undefined ? undefined : new Address(to)
  transaction['value'] = fields.value
  transaction['data'] = fields.data
  if (type < 2) transaction['gasPrice'] = fields.gasPrice ?? 0n
  if (type > 0) {
    transaction['chainId'] = rules.chainId()
    transaction['accessList'] = fields.accessList.map(({ address, storageKeys }) => [address, storageKeys])
  }
  if (type > 1) {
    transaction['maxFeePerGas'] = fields.maxFeePerGas ?? 0n
    transaction['maxPriorityFeePerGas'] = fields.maxPriorityFeePerGas ?? 0n
  }
  if (type === 3) {
    transaction['maxFeePerBlobGas'] = fields.maxFeePerBlobGas ?? 0n
    transaction['blobVersionedHashes'] = (fields.blobVersionedHashes ?? []).map(bytesToHex)
  }
  if (type === 4) {
    transaction['authorizationList'] = (fields.authorizationList ?? []).map(authorizationBytes)
  }
  // eslint-disable-next-line no-restricted-syntax -- an object made member by member has no class that TypeScript sees
  return transaction as unknown as TypedTransaction
}

/**
 * The transaction that a call would be without its signature: of type 2 unless the call says otherwise (geth:
 * internal/ethapi/transaction_args.go, ToTransaction).
 *
 * @param message - of the call, with everything that it left open
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

function authorizationBytes({ chainId, address, nonce, yParity, r, s }: Authorization): Uint8Array[] {
  return [minimalBytes(chainId), address, ...[nonce, yParity, r, s].map(minimalBytes)]
}

const emptyTransactions = new Map<UnsignedFields['type'], Members>()

/** A transaction of the library by its type, made once: it shows the class and what a type is capable of. */
function emptyTransaction(type: UnsignedFields['type']): Members {
  let transaction = emptyTransactions.get(type)
  if (transaction === undefined) {
    // eslint-disable-next-line no-restricted-syntax -- members of a class are read by name
    transaction = createEmpty(type) as unknown as Members
    emptyTransactions.set(type, transaction)
  }
  return transaction
}

function createEmpty(type: UnsignedFields['type']): TypedTransaction {
  const options = { common: new Common({ chain: Mainnet, hardfork: Hardfork.Osaka, customCrypto: { kzg } }) }
  const to = createZeroAddress()
  switch (type) {
    case 0:
      return createLegacyTx({}, options)
    case 1:
      return createAccessList2930Tx({}, options)
    case 2:
      return createFeeMarket1559Tx({}, options)
    case 3:
      return createBlob4844Tx({ to, blobVersionedHashes: [`0x01${'00'.repeat(31)}`] }, options)
    case 4: {
      const signature = { yParity: '0x0', r: '0x0', s: '0x0' } as const
      const authorization = { chainId: '0x0', address: to.toString(), nonce: '0x0', ...signature } as const
      return createEOACode7702Tx({ to, authorizationList: [authorization] }, options)
    }
  }
}
