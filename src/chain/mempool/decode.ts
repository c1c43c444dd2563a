import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { TransactionRejectedError } from '../errors.js'
import {
  FieldReader,
  type RlpItem,
  TransactionEncodingError,
  checkOneItem,
  decodeStrictRlp,
  splitRlp,
} from './fieldReader.js'
import type { BlobSidecar } from './transaction.js'

/** EIP-4844: bytes of a blob, and of a point of the curve that commitments and proofs are. */
const BLOB_LENGTH = 131_072
const POINT_LENGTH = 48

/** The types of transactions by their first byte (EIP-2718). */
export type TransactionType = 0 | 1 | 2 | 3 | 4

/** A transaction as its bytes say it, before anything is known of its soundness. */
export interface TransactionFields {
  type: TransactionType
  /** Absent on legacy transactions without EIP-155. */
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
  /** As it stands in the encoding: a recovery bit, or for legacy transactions 27, 28 or EIP-155's number. */
  v: bigint
  r: bigint
  s: bigint
  /** Bytes of the encoding, with the blobs if they came along. */
  size: number
  /** The encoding itself, unless blobs came along: it is canonical, so the transaction need not be encoded again. */
  raw?: Uint8Array
}

/**
 * The fields of a signed transaction in its EIP-2718 form; blob transactions come with their sidecar.
 *
 * @throws TransactionRejectedError in geth's words (core/types/transaction.go).
 */
export function decodeTransaction(raw: Uint8Array): TransactionFields {
  const type = raw[0]
  const size = raw.length
  if (type !== undefined && type > 0x7f) return readWhole(raw, raw, legacy)
  if (type === undefined || size <= 1) {
    throw new TransactionRejectedError('typed transaction too short', { type: BigInt(type ?? 0) })
  }
  const reader = typedReaders.get(type)
  if (reader === undefined)
    throw new TransactionRejectedError('transaction type not supported', { type: BigInt(type) })
  return readWhole(raw, raw.subarray(1), reader)
}

type Fields = Omit<TransactionFields, 'size' | 'raw'>

/** Reads the fields from an item, or looks at its bytes too; the whole encoding of the transaction comes with them. */
type Reader = (item: RlpItem, raw: Uint8Array, bytes: Uint8Array) => TransactionFields

function readWhole(raw: Uint8Array, bytes: Uint8Array, reader: Reader): TransactionFields {
  const fields = reader(decodeStrictRlp(bytes), raw, bytes)
  checkOneItem(bytes)
  return fields
}

const typedReaders: ReadonlyMap<number, Reader> = new Map<number, Reader>([
  [1, accessListTransaction],
  [2, feeMarketTransaction],
  [3, blobTransaction],
  [4, setCodeTransaction],
])

// Most transactions are of the first three types: their fields are made in one piece, in the order of the encoding.

function legacy(item: RlpItem, raw: Uint8Array): TransactionFields {
  const reader = new FieldReader(item, 'types.LegacyTx')
  const fields: TransactionFields = {
    type: 0,
    chainId: undefined,
    nonce: reader.uint64('Nonce'),
    gasPrice: reader.big('GasPrice'),
    gasLimit: reader.uint64('Gas'),
    to: reader.optionalAddress('To'),
    value: reader.big('Value'),
    data: reader.bytes('Data'),
    accessList: [],
    v: reader.big('V'),
    r: reader.big('R'),
    s: reader.big('S'),
    size: raw.length,
    raw,
  }
  reader.end()
  const { v } = fields
  if (v >= 35n) fields.chainId = (v - 35n) / 2n
  return fields
}

function accessListTransaction(item: RlpItem, raw: Uint8Array): TransactionFields {
  const reader = new FieldReader(item, 'types.AccessListTx')
  const fields: TransactionFields = {
    type: 1,
    chainId: reader.big('ChainID'),
    nonce: reader.uint64('Nonce'),
    gasPrice: reader.big('GasPrice'),
    gasLimit: reader.uint64('Gas'),
    to: reader.optionalAddress('To'),
    value: reader.big('Value'),
    data: reader.bytes('Data'),
    accessList: reader.accessList(),
    v: reader.big('V'),
    r: reader.big('R'),
    s: reader.big('S'),
    size: raw.length,
    raw,
  }
  reader.end()
  return fields
}

function feeMarketTransaction(item: RlpItem, raw: Uint8Array): TransactionFields {
  const reader = new FieldReader(item, 'types.DynamicFeeTx')
  const fields: TransactionFields = {
    type: 2,
    chainId: reader.big('ChainID'),
    nonce: reader.uint64('Nonce'),
    maxPriorityFeePerGas: reader.big('GasTipCap'),
    maxFeePerGas: reader.big('GasFeeCap'),
    gasLimit: reader.uint64('Gas'),
    to: reader.optionalAddress('To'),
    value: reader.big('Value'),
    data: reader.bytes('Data'),
    accessList: reader.accessList(),
    v: reader.big('V'),
    r: reader.big('R'),
    s: reader.big('S'),
    size: raw.length,
    raw,
  }
  reader.end()
  return fields
}

function setCodeTransaction(item: RlpItem, raw: Uint8Array): TransactionFields {
  const reader = new FieldReader(item, 'types.SetCodeTx')
  return {
    type: 4,
    ...boundedFields(reader),
    authorizationList: reader.authorizationList(),
    ...boundedSignature(reader),
    size: raw.length,
    raw,
  }
}

/**
 * With its sidecar: [transaction, version?, blobs, commitments, proofs] (EIP-4844, EIP-7594). geth looks at the kinds of
 * the first two elements before it reads any (core/types/tx_blob.go, decode).
 */
function blobTransaction(item: RlpItem, raw: Uint8Array, bytes: Uint8Array): TransactionFields {
  const list = splitRlp(bytes, 0, bytes.length)
  if (!list.isList) throw new TransactionEncodingError('rlp: expected List')
  const first = splitRlp(bytes, list.start, list.end)
  if (!first.isList) return { ...blobFields(item), size: raw.length, raw }
  const isVersioned = !splitRlp(bytes, first.end, list.end).isList
  const type = isVersioned ? 'types.blobTxWithBlobsV1' : 'types.blobTxWithBlobsV0'
  const reader = new FieldReader(item, type)
  const fields = blobFields(reader.take(), `(${type}).BlobTx`)
  const version = isVersioned ? reader.uint8('Version') : undefined
  const sidecar: BlobSidecar = {
    version: isVersioned ? 1 : 0,
    blobs: reader.fixedList('Blobs', { type: 'kzg4844.Blob', length: BLOB_LENGTH }),
    commitments: reader.fixedList('Commitments', { type: 'kzg4844.Commitment', length: POINT_LENGTH }),
    proofs: reader.fixedList('Proofs', { type: 'kzg4844.Proof', length: POINT_LENGTH }),
  }
  reader.end()
  if (version !== undefined && version !== 1n) {
    throw new TransactionRejectedError(`unsupported blob tx version ${version}`)
  }
  return { ...fields, sidecar, size: raw.length }
}

function blobFields(item: RlpItem, path?: string): Fields {
  const reader = new FieldReader(item, 'types.BlobTx', path)
  return {
    type: 3,
    ...boundedFields(reader),
    maxFeePerBlobGas: reader.uint256('BlobFeeCap'),
    blobVersionedHashes: reader.hashes('BlobHashes'),
    ...boundedSignature(reader),
  }
}

/** What blob and set-code transactions begin with: their numbers have 256 bits at most, and they create no contract. */
function boundedFields(reader: FieldReader) {
  return {
    chainId: reader.uint256('ChainID'),
    nonce: reader.uint64('Nonce'),
    maxPriorityFeePerGas: reader.uint256('GasTipCap'),
    maxFeePerGas: reader.uint256('GasFeeCap'),
    gasLimit: reader.uint64('Gas'),
    to: reader.address('To'),
    value: reader.uint256('Value'),
    data: reader.bytes('Data'),
    accessList: reader.accessList(),
  }
}

function boundedSignature(reader: FieldReader): { v: bigint; r: bigint; s: bigint } {
  const fields = { v: reader.uint256('V'), r: reader.uint256('R'), s: reader.uint256('S') }
  reader.end()
  return fields
}
