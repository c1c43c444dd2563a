import type { AccessList2930Tx, EOACode7702Tx, TypedTransaction } from '@ethereumjs/tx'
import { bytesToBigint, hexToBytes, smallBigintAt } from '../../encoding/hex.js'
import { serializedTransaction } from '../block/body.js'
import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { TransactionRejectedError } from '../errors.js'
import { payloadAt } from '../rlp.js'
import type { TransactionFields } from './decode.js'
import type { BlobSidecar } from './transaction.js'

/** Takes the fields of a transaction's list one after another, in geth's words where one does not fit. */
export class FieldReader {
  readonly #items: RlpList
  readonly #type: string
  readonly #path: string
  /** Where the list itself stands; nothing of the outermost one, which is no part of another value. */
  readonly #place: string

  /**
   * @param type - the name of geth's type
   * @param path - where the list stands in the value that is decoded
   */
  constructor(item: RlpItem, type: string, path = `(${type})`) {
    this.#type = type
    this.#path = path
    this.#place = path.endsWith(')') ? '' : path
    this.#items = toList(item, type, this.#place)
  }

  /** Whether fields are left. */
  get hasMore(): boolean {
    return this.#items.hasMore
  }

  /** @throws TransactionEncodingError if fields are left */
  end(): void {
    if (this.#items.next() !== undefined) {
      throw fieldError('input list has too many elements', this.#type, this.#place)
    }
  }

  take(): RlpItem {
    const item = this.#items.next()
    if (item === undefined) throw fieldError('too few elements', this.#type, this.#place)
    return item
  }

  bytes(name: string): Uint8Array {
    return stringOf(this.take(), '[]uint8', `${this.#path}.${name}`).toBytes()
  }

  uint64(name: string): bigint {
    return toUint(this.take(), { type: 'uint64', length: 8 }, `${this.#path}.${name}`)
  }

  uint8(name: string): bigint {
    return toUint(this.take(), { type: 'uint8', length: 1 }, `${this.#path}.${name}`)
  }

  /** A number of at most 256 bits. */
  uint256(name: string): bigint {
    const item = this.take()
    if (item instanceof RlpString && item.length > 32) {
      throw new TransactionEncodingError('rlp: value too large for uint256')
    }
    return toUint(item, { type: '*uint256.Int', length: 32 }, `${this.#path}.${name}`)
  }

  /** A number of any length. */
  big(name: string): bigint {
    return toUint(this.take(), { type: '*big.Int', length: Infinity }, `${this.#path}.${name}`)
  }

  address(name: string): Uint8Array {
    return this.fixed(name, { type: 'common.Address', length: 20 })
  }

  /** A byte string of one length. */
  fixed(name: string, of: FieldType): Uint8Array {
    return toFixed(this.take(), of, `${this.#path}.${name}`)
  }

  /** A list whose items are not read. */
  list(name: string, type: string): void {
    toList(this.take(), type, `${this.#path}.${name}`)
  }

  /** An address, or no bytes for none. */
  optionalAddress(name: string): Uint8Array | undefined {
    const item = this.take()
    const path = `${this.#path}.${name}`
    if (item instanceof RlpFault && item.kind === 'size') throw sizeError('*common.Address', path)
    if (item instanceof RlpList && item.isEmpty) {
      throw fieldError('wrong kind of empty value (got List, want String)', '*common.Address', path)
    }
    const isNone = item instanceof RlpString && item.length === 0
    return isNone ? undefined : toFixed(item, { type: 'common.Address', length: 20 }, path)
  }

  hashes(name: string): Uint8Array[] {
    return this.fixedList(name, { type: 'common.Hash', length: 32 })
  }

  /** Byte strings of one length. */
  fixedList(name: string, of: FieldType): Uint8Array[] {
    const path = `${this.#path}.${name}`
    return toList(this.take(), `[]${of.type}`, path).map((item, i) => toFixed(item, of, `${path}[${i}]`))
  }

  accessList(): AccessListEntry[] {
    const path = `${this.#path}.AccessList`
    return toList(this.take(), 'types.AccessList', path).map((item, i) => {
      const entry = new FieldReader(item, 'types.AccessTuple', `${path}[${i}]`)
      const address = entry.address('Address')
      const storageKeys = entry.hashes('StorageKeys')
      entry.end()
      return { address, storageKeys }
    })
  }

  authorizationList(): Authorization[] {
    const path = `${this.#path}.AuthList`
    return toList(this.take(), '[]types.SetCodeAuthorization', path).map((item, i) => {
      const entry = new FieldReader(item, 'types.SetCodeAuthorization', `${path}[${i}]`)
      const authorization = {
        chainId: entry.uint256('ChainID'),
        address: entry.address('Address'),
        nonce: entry.uint64('Nonce'),
        yParity: entry.uint8('V'),
        r: entry.uint256('R'),
        s: entry.uint256('S'),
      }
      entry.end()
      return authorization
    })
  }
}

/** The form of a byte string: the name of geth's type, and how many bytes it has. */
interface FieldType {
  type: string
  length: number
}

function toList(item: RlpItem, type: string, path: string): RlpList {
  if (item instanceof RlpFault && item.kind !== 'byte') throw faultError(item, type, path)
  if (!(item instanceof RlpList)) throw fieldError('expected input list', type, path)
  return item
}

function stringOf(item: RlpItem, type: string, path: string): RlpString {
  if (item instanceof RlpFault) throw faultError(item, type, path)
  if (item instanceof RlpList) throw fieldError('expected input string or byte', type, path)
  return item
}

/** All lengths are greater than one. */
function toFixed(item: RlpItem, { type, length }: FieldType, path: string): Uint8Array {
  if (item instanceof RlpFault) {
    // What is wrong with the header is told without the type here (geth: decodeByteArray).
    if (item.kind !== 'byte') throw new TransactionEncodingError(item.words)
    throw fieldError('input string too short', type, path)
  }
  const string = stringOf(item, type, path)
  if (string.length > length) throw fieldError('input string too long', type, path)
  if (string.length < length) throw fieldError('input string too short', type, path)
  return string.toBytes()
}

function faultError(fault: RlpFault, type: string, path: string): TransactionEncodingError {
  return fault.kind === 'length' ? new TransactionEncodingError(fault.words) : sizeError(type, path)
}

function sizeError(type: string, path: string): TransactionEncodingError {
  return fieldError('non-canonical size information', type, path)
}

function toUint(item: RlpItem, { type, length }: FieldType, path: string): bigint {
  const string = stringOf(item, type, path)
  if (string.length > length) throw fieldError('input string too long', type, path)
  if (string.first === 0) throw fieldError('non-canonical integer (leading zero bytes)', type, path)
  return string.toBigint()
}

/** The fields of a transaction object. */
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

/** The access list of a transaction object. */
export function accessListOf({ accessList }: Pick<AccessList2930Tx, 'accessList'>): AccessListEntry[] {
  return accessList.map(([address, storageKeys]) => ({ address, storageKeys }))
}

/** The authorizations of a transaction object. */
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

/** Bytes that are not the RLP of a transaction, in geth's words (rlp/decode.go). */
export class TransactionEncodingError extends TransactionRejectedError {}

/** The error of a value of the wrong form, with where it stands. */
export function fieldError(problem: string, type: string, path: string): TransactionEncodingError {
  return new TransactionEncodingError(
    `rlp: ${problem} for ${type}${path === '' ? '' : `, decoding into ${path}`}`,
  )
}

/** A byte string, a list of items, or what stands where neither can be read. */
export type RlpItem = RlpString | RlpList | RlpFault

/** A byte string where it stands in the encoding: most are numbers, and need no array of their own. */
export class RlpString {
  readonly #encoding: Uint8Array
  readonly #start: number
  readonly length: number

  /** Whether its bytes reach beyond the list that it stands in. */
  readonly #isCut: boolean

  constructor(encoding: Uint8Array, { start, end, isCut = false }: Pick<RlpSpan, 'start' | 'end' | 'isCut'>) {
    this.#encoding = encoding
    this.#start = start
    this.#isCut = isCut
    this.length = end - start
  }

  /** @throws TransactionEncodingError as the others that read it if it is cut off */
  get first(): number | undefined {
    this.#checkWhole()
    return this.length === 0 ? undefined : this.#encoding[this.#start]
  }

  /** The bytes, in memory of their own. */
  toBytes(): Uint8Array {
    this.#checkWhole()
    return this.#encoding.slice(this.#start, this.#start + this.length)
  }

  /** The bytes as a big-endian number. */
  toBigint(): bigint {
    this.#checkWhole()
    const { length } = this
    if (length <= 8) return smallBigintAt(this.#encoding, this.#start, length)
    return bytesToBigint(this.#encoding.subarray(this.#start, this.#start + length))
  }

  #checkWhole(): void {
    if (this.#isCut) throw new TransactionEncodingError(ELEMENT_TOO_LARGE)
  }
}

/**
 * A list whose items are read as they are asked for, each once: of a million of them the first may be none that belongs
 * there.
 */
export class RlpList {
  readonly #encoding: Uint8Array
  readonly #end: number
  readonly #depth: number
  readonly isEmpty: boolean
  #at: number

  constructor(encoding: Uint8Array, { start, end }: Pick<RlpSpan, 'start' | 'end'>, depth: number) {
    this.#encoding = encoding
    this.#at = start
    this.#end = end
    this.#depth = depth
    this.isEmpty = start >= end
  }

  /** Whether items are left. */
  get hasMore(): boolean {
    return this.#at < this.#end
  }

  /** The next item; undefined behind the last, and behind one that is wrongly encoded. */
  next(): RlpItem | undefined {
    if (this.#at >= this.#end) return undefined
    const span = readHeader(this.#encoding, this.#at, this.#end, ELEMENT_TOO_LARGE)
    this.#at = span instanceof RlpFault ? this.#end : span.end
    return span instanceof RlpFault ? span : readItem(this.#encoding, span, this.#depth + 1)
  }

  /** What is made of each item that is left. */
  map<T>(make: (item: RlpItem, index: number) => T): T[] {
    const made: T[] = []
    for (let item = this.next(); item !== undefined; item = this.next()) made.push(make(item, made.length))
    return made
  }
}

/**
 * An item that is wrongly encoded. What is said of it depends on the type that is read there, and nothing behind it was
 * read: geth decodes as it goes and ends at the first error.
 */
export class RlpFault {
  /**
   * - `size`: the length takes more bytes than it needs, or has leading zeros.
   * - `byte`: a string of one byte that stands for itself.
   * - `length`: the item is longer than what it stands in.
   */
  readonly kind: 'size' | 'byte' | 'length'
  readonly words: string

  constructor(kind: RlpFault['kind'], words: string) {
    this.kind = kind
    this.words = words
  }
}

/** Where the content of an item lies. */
export interface RlpSpan {
  isList: boolean
  start: number
  end: number
  /** Whether the content reaches beyond the list around it by no more than the header of the item is long. */
  isCut?: boolean
}

/** Lists are read so deep; those of a transaction with blobs are nested five deep. */
const DEPTH = 8

/** What geth's rlp package says where no type is known (rlp/decode.go). */
const VALUE_TOO_LARGE = 'rlp: value size exceeds available input length'
const ELEMENT_TOO_LARGE = 'rlp: element is larger than containing list'
const SIZE = 'rlp: non-canonical size information'

/**
 * The one item that bytes encode; geth takes canonical encodings only. What is nested deeper than any transaction is left
 * out: a reader refuses the list that it stands in.
 */
export function decodeStrictRlp(bytes: Uint8Array): RlpItem {
  const span = readHeader(bytes, 0, bytes.length, VALUE_TOO_LARGE)
  return span instanceof RlpFault ? span : readItem(bytes, span, 0)
}

/**
 * Checks that nothing lies behind the item that bytes begin with, once it could be read.
 *
 * @throws TransactionEncodingError
 */
export function checkOneItem(bytes: Uint8Array): void {
  const span = readHeader(bytes, 0, bytes.length, VALUE_TOO_LARGE)
  if (span instanceof RlpFault || span.end === bytes.length) return
  throw new TransactionEncodingError('rlp: input contains more than one value')
}

/**
 * Where the content of the item lies that stands at an offset, whatever its type (geth: rlp/raw.go, Split).
 *
 * @throws TransactionEncodingError in the words of that function
 */
export function splitRlp(bytes: Uint8Array, at: number, limit: number): RlpSpan {
  const first = bytes[at] ?? 0
  const lengthBytes = first >= 0xf8 ? first - 0xf7 : first >= 0xb8 && first < 0xc0 ? first - 0xb7 : 0
  if (at + 1 + lengthBytes > limit) throw new TransactionEncodingError('unexpected EOF')
  const span = readHeader(bytes, at, limit, VALUE_TOO_LARGE)
  if (span instanceof RlpFault) throw new TransactionEncodingError(span.words)
  return span
}

function readItem(bytes: Uint8Array, span: RlpSpan, depth: number): RlpItem {
  if (!span.isList) return new RlpString(bytes, span)
  return new RlpList(bytes, depth === DEPTH ? { ...span, end: span.start } : span, depth)
}

/** Where the content of the item at an offset lies, in bytes that may be anything. */
function readHeader(bytes: Uint8Array, at: number, limit: number, tooLarge: string): RlpSpan | RlpFault {
  const first = bytes[at] ?? 0
  if (first < 0x80) return { isList: false, start: at, end: at + 1 }
  const isList = first >= 0xc0
  const { start, end } = payloadAt(bytes, at)
  const isLong = start > at + 1
  if (start > limit) return new RlpFault('length', tooLarge)
  if (isLong && (bytes[at + 1] === 0 || end - start < 56)) return new RlpFault('size', SIZE)
  if (end > limit) {
    // geth looks whether the content fits before it takes the header off, and then at the content's length.
    const isCut = tooLarge === ELEMENT_TOO_LARGE && !isList && end - start <= limit - at
    return isCut ? { isList, start, end, isCut } : new RlpFault('length', tooLarge)
  }
  const isByte = !isList && !isLong && end - start === 1 && (bytes[start] ?? 0) < 0x80
  return isByte ? new RlpFault('byte', SIZE) : { isList, start, end }
}
