import type { AccessListEntry, Authorization } from '../calls/callObject.js'
import { TransactionEncodingError } from '../errors.js'
import { RlpFault, type RlpItem, RlpList, RlpString } from '../strictRlp.js'

/** Reads the fields of a transaction's RLP list in order, with geth's messages on errors. */
export class FieldReader {
  readonly #items: RlpList
  readonly #type: string
  readonly #path: string
  /** Path of the list itself, without its type: geth names the type only in front of fields. */
  readonly #place: string

  /**
   * @param type - name of the Go type in geth
   * @param path - path of the list within the decoded value, with Go types in brackets like geth
   */
  constructor(item: RlpItem, type: string, path = `(${type})`) {
    this.#type = type
    this.#path = path
    this.#place = path.endsWith(')') ? path.replace(/(\([^)]*\))+$/, '') : path
    this.#items = toList(item, type, this.#place)
  }

  /** Whether any fields are left. */
  get hasMore(): boolean {
    return this.#items.hasMore
  }

  /** @throws TransactionEncodingError if fields are left */
  end(): void {
    if (this.#items.next() !== undefined) {
      throw fieldError('input list has too many elements', this.#type, this.#place)
    }
  }

  next(): RlpItem {
    const item = this.#items.next()
    if (item === undefined) throw fieldError('too few elements', this.#type, this.#place)
    return item
  }

  bytes(name: string): Uint8Array {
    return stringOf(this.next(), '[]uint8', `${this.#path}.${name}`).toBytes()
  }

  uint64(name: string): bigint {
    return toUint(this.next(), { type: 'uint64', length: 8 }, `${this.#path}.${name}`)
  }

  uint8(name: string): bigint {
    return toUint(this.next(), { type: 'uint8', length: 1 }, `${this.#path}.${name}`)
  }

  /** Reads a number of at most 256 bits. */
  uint256(name: string): bigint {
    const item = this.next()
    if (item instanceof RlpString && item.length > 32) {
      throw new TransactionEncodingError('rlp: value too large for uint256')
    }
    return toUint(item, { type: '*uint256.Int', length: 32 }, `${this.#path}.${name}`)
  }

  /** Reads a number of any length. */
  big(name: string): bigint {
    return toUint(this.next(), { type: '*big.Int', length: Infinity }, `${this.#path}.${name}`)
  }

  address(name: string): Uint8Array {
    return this.fixed(name, { type: 'common.Address', length: 20 })
  }

  /** Reads a byte string of fixed length. */
  fixed(name: string, of: FieldType): Uint8Array {
    return toFixed(this.next(), of, `${this.#path}.${name}`)
  }

  /** Iterates over the items of a list with their paths. */
  *items(name: string, type: string): Generator<[item: RlpItem, path: string]> {
    const path = `${this.#path}.${name}`
    const list = toList(this.next(), type, path)
    let index = 0
    for (let item = list.next(); item !== undefined; item = list.next()) yield [item, `${path}[${index++}]`]
  }

  /** Maps the items of a list with their paths. */
  each<T>(name: string, type: string, read: (item: RlpItem, path: string) => T): T[] {
    return Array.from(this.items(name, type), ([item, path]) => read(item, path))
  }

  /** Reads an address, or an empty string as none. */
  optionalAddress(name: string): Uint8Array | undefined {
    const item = this.next()
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

  /** Reads a list of byte strings of fixed length. */
  fixedList(name: string, of: FieldType): Uint8Array[] {
    return this.each(name, `[]${of.type}`, (item, path) => toFixed(item, of, path))
  }

  accessList(): AccessListEntry[] {
    return this.each('AccessList', 'types.AccessList', (item, path) => {
      const entry = new FieldReader(item, 'types.AccessTuple', path)
      const address = entry.address('Address')
      const storageKeys = entry.hashes('StorageKeys')
      entry.end()
      return { address, storageKeys }
    })
  }

  authorizationList(): Authorization[] {
    return this.each('AuthList', '[]types.SetCodeAuthorization', (item, path) => {
      const entry = new FieldReader(item, 'types.SetCodeAuthorization', path)
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

/** Go type and length in bytes of a byte string. */
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

/** Decodes a byte string of fixed length; the length is always greater than one. */
function toFixed(item: RlpItem, { type, length }: FieldType, path: string): Uint8Array {
  if (item instanceof RlpFault) {
    // Here geth reports header errors without the type (decodeByteArray).
    if (item.kind !== 'byte') throw new TransactionEncodingError(item.message)
    throw fieldError('input string too short', type, path)
  }
  const string = stringOf(item, type, path)
  if (string.length > length) throw fieldError('input string too long', type, path)
  if (string.length < length) throw fieldError('input string too short', type, path)
  return string.toBytes()
}

function faultError(fault: RlpFault, type: string, path: string): TransactionEncodingError {
  return fault.kind === 'length' ? new TransactionEncodingError(fault.message) : sizeError(type, path)
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

/** Builds the error for a malformed value, with its path. */
function fieldError(problem: string, type: string, path: string): TransactionEncodingError {
  return new TransactionEncodingError(
    `rlp: ${problem} for ${type}${path === '' ? '' : `, decoding into ${path}`}`,
  )
}
