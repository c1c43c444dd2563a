import type { AccessList2930Tx, EOACode7702Tx, TypedTransaction } from '@ethereumjs/tx'
import { MAX_UINT256 } from '../../encoding/bigints.js'
import { bytesToBigint, hexToBytes } from '../../encoding/hex.js'
import { serializedTransaction } from '../block/body.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { TransactionEncodingError, TransactionRejectedError } from '../errors.js'
import {
  RlpFault,
  type RlpItem,
  RlpString,
  checkSingleItem,
  decodeStrictRlp,
  splitRlp,
} from '../strictRlp.js'
import { FieldReader } from './fieldReader.js'
import type { BlobSidecar } from './transaction.js'

/** EIP-4844: length in bytes of a blob, and of the curve points that are commitments and proofs. */
export const BLOB_LENGTH = 131_072
const POINT_LENGTH = 48

/** Transaction types by first byte (EIP-2718). */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/** The fields of a decoded transaction, not yet validated. */
export interface TransactionFields {
  type: TransactionType
  /** Absent for legacy transactions without EIP-155. */
  chainId?: bigint
  nonce: bigint
  gasLimit: bigint
  /** Types 0 and 1. */
  gasPrice?: bigint
  /** Types 2, 3 and 4. */
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  /** 20 bytes; absent for a contract creation. */
  to?: Uint8Array
  value: bigint
  data: Uint8Array
  accessList: readonly AccessListEntry[]
  /** Type 3. */
  maxFeePerBlobGas?: bigint
  blobVersionedHashes?: readonly Uint8Array[]
  sidecar?: BlobSidecar
  /** Type 4. */
  authorizationList?: readonly Authorization[]
  /** As encoded: the recovery bit, or for legacy transactions 27, 28 or the EIP-155 value. */
  v: bigint
  r: bigint
  s: bigint
  /** Length of the encoding in bytes, including any blobs. */
  size: number
  /** The encoding, unless there is a sidecar. It is canonical, so the transaction need not be encoded again. */
  raw?: Uint8Array
}

/**
 * Decodes a signed transaction from its EIP-2718 encoding; a blob transaction includes its sidecar.
 *
 * @throws TransactionRejectedError with geth's message (core/types/transaction.go)
 */
export function decodeTransaction(raw: Uint8Array): TransactionFields {
  const fields = (raw[0] ?? 0) > 0x7f ? decodeLegacy(raw) : decodeTyped(raw)
  fields.size = raw.length
  if (fields.sidecar === undefined) fields.raw = raw
  return fields
}

/**
 * Decodes a transaction within a block: a list for a legacy one, the content of a byte string for a typed one.
 *
 * @param path - path of the transaction within the decoded value
 * @throws TransactionRejectedError, TransactionEncodingError with geth's message (core/types/transaction.go, DecodeRLP)
 */
export function readTransaction(item: RlpItem, path: string): TransactionFields {
  if (item instanceof RlpFault) throw new TransactionEncodingError(item.message)
  if (item instanceof RlpString) return decodeTyped(item.toBytes(), path)
  const fields = decodeFields(0, readerOf(0, item, path))
  checkSizes(fields)
  return fields
}

function decodeLegacy(raw: Uint8Array): TransactionFields {
  const fields = decodeFields(0, readerOf(0, decodeStrictRlp(raw)))
  checkSingleItem(raw)
  checkSizes(fields)
  return fields
}

function decodeTyped(raw: Uint8Array, path = ''): TransactionFields {
  const type = raw[0] ?? 0
  if (raw.length <= 1) {
    throw new TransactionRejectedError('typed transaction too short', { type: BigInt(type) })
  }
  if (type === 0 || !isTransactionType(type)) {
    throw new TransactionRejectedError('transaction type not supported', { type: BigInt(type) })
  }
  const bytes = raw.subarray(1)
  const item = decodeStrictRlp(bytes)
  const fields =
    type === 3 ? decodeBlobTransaction(item, bytes, path) : decodeFields(type, readerOf(type, item, path))
  checkSingleItem(bytes)
  checkSizes(fields)
  return fields
}

function checkSizes({ type, chainId = 0n, v, r, s }: TransactionFields): void {
  const numbers = type === 0 ? [v, r, s] : [v, r, s, chainId]
  if (numbers.some((number) => number > MAX_UINT256)) {
    throw new TransactionRejectedError('transaction chain id or signature value exceeds 256 bits', {
      type: BigInt(type),
    })
  }
}

/** The names of geth's Go types. */
const typeNames: Readonly<Record<TransactionType, string>> = {
  0: 'types.LegacyTx',
  1: 'types.AccessListTx',
  2: 'types.DynamicFeeTx',
  3: 'types.BlobTx',
  4: 'types.SetCodeTx',
}

function isTransactionType(type: number): type is TransactionType {
  return type in typeNames
}

/**
 * @param path - path of the transaction within the decoded value
 */
function readerOf(type: TransactionType, item: RlpItem, path = ''): FieldReader {
  return new FieldReader(item, typeNames[type], `${path}(${typeNames[type]})`)
}

/**
 * Reads the fields in the order of the encoding. In blob and set-code transactions, numbers have at most 256 bits, and
 * `to` is required.
 */
function decodeFields(type: TransactionType, reader: FieldReader): TransactionFields {
  const isBounded = type >= 3
  const number = (name: string): bigint => (isBounded ? reader.uint256(name) : reader.big(name))
  const fields: TransactionFields = {
    type,
    chainId: type === 0 ? undefined : number('ChainID'),
    nonce: reader.uint64('Nonce'),
    gasPrice: type < 2 ? number('GasPrice') : undefined,
    maxPriorityFeePerGas: type < 2 ? undefined : number('GasTipCap'),
    maxFeePerGas: type < 2 ? undefined : number('GasFeeCap'),
    gasLimit: reader.uint64('Gas'),
    to: isBounded ? reader.address('To') : reader.optionalAddress('To'),
    value: number('Value'),
    data: reader.bytes('Data'),
    accessList: type === 0 ? [] : reader.accessList(),
    maxFeePerBlobGas: type === 3 ? number('BlobFeeCap') : undefined,
    blobVersionedHashes: type === 3 ? reader.hashes('BlobHashes') : undefined,
    authorizationList: type === 4 ? reader.authorizationList() : undefined,
    v: number('V'),
    r: number('R'),
    s: number('S'),
    size: 0,
  }
  reader.end()
  if (type === 0 && fields.v >= 35n) fields.chainId = (fields.v - 35n) / 2n
  return fields
}

/**
 * Decodes a blob transaction with its sidecar: [transaction, version?, blobs, commitments, proofs] (EIP-4844,
 * EIP-7594). geth checks the kinds of the first two elements before it reads any (core/types/tx_blob.go, decode).
 */
function decodeBlobTransaction(item: RlpItem, bytes: Uint8Array, path: string): TransactionFields {
  const list = splitRlp(bytes, 0, bytes.length)
  if (!list.isList) throw new TransactionEncodingError('rlp: expected List')
  const first = splitRlp(bytes, list.start, list.end)
  if (!first.isList) return decodeFields(3, readerOf(3, item, path))
  const isVersioned = !splitRlp(bytes, first.end, list.end).isList
  const type = isVersioned ? 'types.blobTxWithBlobsV1' : 'types.blobTxWithBlobsV0'
  const reader = new FieldReader(item, type, `${path}(${type})`)
  const inner = new FieldReader(reader.next(), typeNames[3], `${path}(${type}).BlobTx`)
  const fields = decodeFields(3, inner)
  const version = isVersioned ? reader.uint8('Version') : undefined
  fields.sidecar = {
    version: isVersioned ? 1 : 0,
    blobs: reader.fixedList('Blobs', { type: 'kzg4844.Blob', length: BLOB_LENGTH }),
    commitments: reader.fixedList('Commitments', { type: 'kzg4844.Commitment', length: POINT_LENGTH }),
    proofs: reader.fixedList('Proofs', { type: 'kzg4844.Proof', length: POINT_LENGTH }),
  }
  reader.end()
  if (version !== undefined && version !== 1n) {
    throw new TransactionRejectedError(`unsupported blob tx version ${version}`)
  }
  return fields
}

/** Reads the fields of a transaction object. */
export function fieldsOf(transaction: TypedTransaction, sidecar?: BlobSidecar): TransactionFields {
  const { type, nonce, gasLimit, value, data, to, v = 0n, r = 0n, s = 0n } = transaction
  const bytes = serializedTransaction(transaction)
  const fields: TransactionFields = {
    type,
    nonce,
    gasLimit,
    value,
    data,
    accessList: [],
    v,
    r,
    s,
    size: bytes.length,
  }
  if (to !== undefined) fields.to = to.bytes
  if (sidecar === undefined) fields.raw = bytes
  else fields.sidecar = sidecar
  if ('chainId' in transaction) fields.chainId = transaction.chainId
  else if (v >= 35n) fields.chainId = (v - 35n) / 2n
  if ('accessList' in transaction) {
    fields.accessList = accessListOf(transaction)
  }
  if ('gasPrice' in transaction) fields.gasPrice = transaction.gasPrice
  if ('maxFeePerGas' in transaction) {
    fields.maxFeePerGas = transaction.maxFeePerGas
    fields.maxPriorityFeePerGas = transaction.maxPriorityFeePerGas
  }
  if ('blobVersionedHashes' in transaction) {
    fields.maxFeePerBlobGas = transaction.maxFeePerBlobGas
    fields.blobVersionedHashes = transaction.blobVersionedHashes.map(hexToBytes)
  }
  if ('authorizationList' in transaction) {
    fields.authorizationList = authorizationListOf(transaction)
  }
  return fields
}

/** Returns the access list of a transaction object. */
export function accessListOf({ accessList }: Pick<AccessList2930Tx, 'accessList'>): AccessListEntry[] {
  return accessList.map(([address, storageKeys]) => ({ address, storageKeys }))
}

/** Returns the authorizations of a transaction object. */
export function authorizationListOf({
  authorizationList,
}: Pick<EOACode7702Tx, 'authorizationList'>): Authorization[] {
  return authorizationList.map(([chainId, address, nonce, yParity, r, s]) => ({
    chainId: bytesToBigint(chainId),
    address,
    nonce: bytesToBigint(nonce),
    yParity: bytesToBigint(yParity),
    r: bytesToBigint(r),
    s: bytesToBigint(s),
  }))
}
