import * as dagCbor from '@ipld/dag-cbor'
import { type DecodeOptions, Tokenizer } from 'cborg'
import { CID } from 'multiformats/cid'
import { viewCid } from '../cid/parseCid.js'
import { EndOfDataError, FileNetworkError } from '../errors.js'
import { textOfBytes } from '../../encoding/byteText.js'
import { type DataToken, DemandingError, type TokenSource, UnexpectedEndError } from './dataTokens.js'

/** Accepts what Kubo accepts, even where it is not strict DAG-CBOR: it is re-encoded anyway. */
const options: DecodeOptions = {
  ...dagCbor.decodeOptions,
  allowUndefined: true,
  coerceUndefinedToNull: true,
  allowNaN: true,
  allowInfinity: true,
  strict: false,
}

/** The major types of CBOR. */
const major = { uint: 0, negint: 1, bytes: 2, string: 3, array: 4, map: 5, tag: 6, simple: 7 } as const
const kinds = ['uint', 'int', 'bytes', 'string', 'array open', 'map open'] as const

/** In place of a length: parts follow until a break. */
const INDEFINITE = 31
const BREAK = 0xff
/** Simple values and floats, with the number of bytes after the head. */
const simpleValues: ReadonlyMap<number, { kind: 'bool' | 'null' | 'float'; width: number }> = new Map([
  [0xf4, { kind: 'bool', width: 0 }],
  [0xf5, { kind: 'bool', width: 0 }],
  [0xf6, { kind: 'null', width: 0 }],
  [0xf7, { kind: 'null', width: 0 }],
  [0xf9, { kind: 'float', width: 2 }],
  [0xfa, { kind: 'float', width: 4 }],
  [0xfb, { kind: 'float', width: 8 }],
])
/** The CBOR tag of links. */
const LINK_TAG = 42
/** The longest string, in bytes (refmt). */
const MAX_STRING_LENGTH = 33_554_432
/** The longest text, in bytes, as it is decoded without a yield. */
const MAX_TEXT_LENGTH = 2 * 2 ** 20
/** Maximum number of parts of a string, which are read without a yield. */
const MAX_PARTS = 32_768
const MAX_LENGTH = 2n ** 63n - 1n
/** Maximum total cost of entries, strings and bytes (go-ipld-prime, `dagcbor`). */
const BUDGET = 10 * 2 ** 20

/** A token with the tag in front of it. */
export interface TaggedToken {
  tag: number | bigint | undefined
  token: DataToken
}

/** Reads CBOR like refmt: tags apply to bytes only, and strings may come in parts. Messages are refmt's. */
export class CborTokens implements TokenSource {
  readonly budget = BUDGET
  readonly #data: Uint8Array
  readonly #library: Tokenizer
  readonly #allowsLinks: boolean
  #position = 0

  constructor(data: Uint8Array, { allowsLinks }: { allowsLinks: boolean }) {
    this.#data = data
    this.#library = new Tokenizer(data, options)
    this.#allowsLinks = allowsLinks
  }

  finish(): void {
    if (this.#position < this.#data.length) {
      throw new FileNetworkError('unexpected content after end of cbor object')
    }
  }

  next(place: 'value' | 'entry'): DataToken {
    try {
      return this.#take()
    } catch (error) {
      throw place === 'value' && error instanceof EndOfDataError ? new UnexpectedEndError() : error
    }
  }

  #take(): DataToken {
    const { tag, token } = this.nextTagged()
    return tag !== undefined && token.kind === 'bytes' ? this.#tagged(tag, token.value as Uint8Array) : token
  }

  /**
   * Returns the next token with its tag, which is not interpreted.
   *
   * @throws EndOfDataError at the end of the data, {@link FileNetworkError} for anything but a token
   */
  nextTagged(): TaggedToken {
    if (this.#peek() === BREAK) {
      this.#position++
      return { tag: undefined, token: { kind: 'break' } }
    }
    if (this.#peek() >> 5 !== major.tag) return { tag: undefined, token: this.#takeItem() }
    const tag = this.#takeLength(this.#peek())
    if (this.#peek() >> 5 === major.tag) {
      throw new FileNetworkError('unsupported multiple tags on a single data item')
    }
    return { tag, token: this.#takeItem() }
  }

  #tagged(tag: number | bigint, bytes: Uint8Array): DataToken {
    if (tag !== LINK_TAG || !this.#allowsLinks) throw new FileNetworkError(`unhandled cbor tag ${tag}`)
    if (bytes[0] !== 0) throw new FileNetworkError('invalid multibase on IPLD link')
    const cid = bytes.subarray(1)
    const view = viewCid(cid)
    return { kind: 'link', value: view?.bytes.length === cid.length ? view : CID.decode(cid) }
  }

  #peek(): number {
    const byte = this.#data[this.#position]
    if (byte === undefined) throw new EndOfDataError()
    return byte
  }

  #takeItem(): DataToken {
    const head = this.#peek()
    const type = head >> 5
    if (type === major.simple || type === major.tag) return this.#takeSimple(head)
    const kind = kinds[type] as (typeof kinds)[number]
    if (kind === 'array open' || kind === 'map open') return { kind, length: this.#takeCount(head) }
    if (kind === 'uint' || kind === 'int') {
      this.#checkRoom(1, this.#widthOf(head))
      return kind === 'int' ? this.#takeNegative() : { kind, value: this.#takeValue() }
    }
    if ((head & INDEFINITE) === INDEFINITE) return this.#takeParts(kind)
    this.#checkString(head, kind)
    return { kind, value: kind === 'string' ? this.#takeText(head) : this.#takeValue() }
  }

  #takeSimple(head: number): DataToken {
    const simple = simpleValues.get(head)
    if (simple === undefined) throw new FileNetworkError(`Invalid majorByte: 0x${head.toString(16)}`)
    this.#checkRoom(1, simple.width)
    return { kind: simple.kind, value: this.#takeValue() }
  }

  /** Reads a negative integer. refmt computes in 64 bits, where -2^64 wraps to 0. */
  #takeNegative(): DataToken {
    const value = BigInt(this.#takeValue() as number | bigint)
    const distance = BigInt.asUintN(64, -value)
    if (distance > MAX_LENGTH + 1n) {
      throw new FileNetworkError('cbor: negative integer out of rage of int64 type')
    }
    const small = Number(-distance)
    return { kind: 'int', value: Number.isSafeInteger(small) ? small : -distance }
  }

  #takeText(head: number): string {
    const length = Number(this.#takeLength(head))
    const start = this.#position
    this.#position += length
    return textOf(this.#data.subarray(start, this.#position))
  }

  /** Reads the value at the current position, which must be complete. */
  #takeValue(): unknown {
    this.#library._pos = this.#position
    const { value } = this.#library.next()
    this.#position = this.#library.pos()
    return value
  }

  /** Reads the number of entries of a list or map. */
  #takeCount(head: number): number {
    if ((head & INDEFINITE) !== INDEFINITE) return Number(this.#takeLength(head))
    this.#position++
    return Infinity
  }

  /**
   * Reads a string or bytes in parts, up to a break. Like refmt, a truncated part is not itself an error: the next read
   * finds the end.
   */
  #takeParts(kind: 'bytes' | 'string'): DataToken {
    const parts: Uint8Array[] = []
    let total = 0
    this.#position++
    for (let head = this.#peek(); head !== BREAK; head = this.#peek()) {
      if (kinds[head >> 5] !== kind) {
        throw new FileNetworkError(
          'cbor: expect bytes or string major type in indefinite string/bytes; ' +
            `got: ${head & ~INDEFINITE}, byte: ${head}`,
        )
      }
      if (parts.length === MAX_PARTS) throw new FileNetworkError(`a string of more than ${MAX_PARTS} parts`)
      const given = this.#takeLength(head)
      if (given > MAX_STRING_LENGTH) throw tooLong('indefinite string/bytes', given)
      const length = Number(given)
      const part = this.#data.subarray(this.#position, this.#position + length)
      total += part.length
      if (total > BUDGET) throw new DemandingError()
      parts.push(part)
      this.#position = Math.min(this.#position + length, this.#data.length)
    }
    this.#position++
    const joined = Buffer.concat(parts)
    return { kind, value: kind === 'string' ? textOf(joined) : new Uint8Array(joined) }
  }

  /** Checks that a string or bytes is within the limit and complete. */
  #checkString(head: number, kind: 'bytes' | 'string'): void {
    const length = this.#lengthAt(head)
    if (length > MAX_STRING_LENGTH) throw tooLong(kind === 'bytes' ? 'byte' : kind, length)
    this.#checkRoom(1 + this.#widthOf(head), Number(length))
    if (length > BUDGET) throw new DemandingError()
  }

  #takeLength(head: number): number | bigint {
    const length = this.#lengthAt(head)
    this.#position += 1 + this.#widthOf(head)
    return length
  }

  /** Decodes the length, count or tag of a head. */
  #lengthAt(head: number): number | bigint {
    const width = this.#widthOf(head)
    this.#checkRoom(1, width)
    if (width === 0) return head & INDEFINITE
    const from = this.#position + 1
    let length = 0n
    for (const byte of this.#data.subarray(from, from + width)) length = (length << 8n) | BigInt(byte)
    if (length > MAX_LENGTH) throw new FileNetworkError('cbor: positive integer is out of length')
    return Number.isSafeInteger(Number(length)) ? Number(length) : length
  }

  /** Returns the length in bytes of the number after the head. */
  #widthOf(head: number): number {
    const descriptor = head & INDEFINITE
    if (descriptor < 24) return 0
    if (descriptor < 28) return 2 ** (descriptor - 24)
    throw new FileNetworkError(`decodeUint: Invalid descriptor: ${head}`)
  }

  /** @param offset - from the head */
  #checkRoom(offset: number, length: number): void {
    const room = this.#data.length - this.#position - offset
    if (room >= length) return
    throw room <= 0 ? new EndOfDataError() : new UnexpectedEndError()
  }
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length <= MAX_TEXT_LENGTH) return textOfBytes(bytes)
  throw new FileNetworkError(`a string of more than ${MAX_TEXT_LENGTH} bytes`)
}

function tooLong(field: string, length: number | bigint): FileNetworkError {
  return new FileNetworkError(`cbor: decoding rejected oversized ${field} field: ${length} is too large`)
}
