import { bytesToBigint, smallBigintAt } from '../encoding/hex.js'
import { TransactionEncodingError } from './errors.js'
import { type Payload, payloadAt } from './rlp.js'

/*
 * RLP from outside, read in place. What is not canonical is refused in geth's words (go-ethereum rlp/decode.go).
 */

/** Lists are read so deep; those of a transaction with blobs are nested five deep. */
const DEPTH = 8

/** What geth's rlp package says where no type is known (rlp/decode.go). */
const VALUE_TOO_LARGE = 'rlp: value size exceeds available input length'
const ELEMENT_TOO_LARGE = 'rlp: element is larger than containing list'
const SIZE = 'rlp: non-canonical size information'

/** Where the content of an item lies, and what it is. */
export interface RlpSpan extends Payload {
  isList: boolean
  /** Whether the content reaches beyond the list around it by no more than the header of the item is long. */
  isCut?: boolean
}

/** A byte string, a list of items, or what stands where neither can be read. */
export type RlpItem = RlpString | RlpList | RlpFault

/** A byte string where it stands in the encoding: most are numbers, and need no array of their own. */
export class RlpString {
  readonly #encoding: Uint8Array
  readonly #start: number
  /** Whether its bytes reach beyond the list that it stands in: every read then throws TransactionEncodingError. */
  readonly #isCut: boolean
  readonly length: number

  constructor(encoding: Uint8Array, { start, end, isCut = false }: Pick<RlpSpan, 'start' | 'end' | 'isCut'>) {
    this.#encoding = encoding
    this.#start = start
    this.#isCut = isCut
    this.length = end - start
  }

  /** The first byte; undefined of an empty string. */
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
  readonly #depth: number
  readonly isEmpty: boolean
  #at: number
  #end: number
  /** Whether a list in this one reached beyond it: geth then takes all that the input has for a part of this one. */
  #isOverrun = false

  constructor(encoding: Uint8Array, { start, end }: Pick<RlpSpan, 'start' | 'end'>, depth: number) {
    this.#encoding = encoding
    this.#at = start
    this.#end = end
    this.#depth = depth
    this.isEmpty = start >= end
  }

  /** Whether items are left. */
  get hasMore(): boolean {
    return this.#at < this.#end || this.#isOverrun
  }

  /** The next item; undefined behind the last, and behind one that is wrongly encoded. */
  next(): RlpItem | undefined {
    if (this.#at >= this.#end) return this.#endOverrun()
    const span = readHeader(this.#encoding, this.#at, this.#end, ELEMENT_TOO_LARGE)
    this.#at = span instanceof RlpFault ? this.#end : span.end
    if (span instanceof RlpFault) return span
    if (span.isList && span.isCut === true) {
      this.#end = this.#encoding.length
      this.#isOverrun = true
    }
    return readItem(this.#encoding, span, this.#depth + 1)
  }

  #endOverrun(): RlpFault | undefined {
    if (!this.#isOverrun) return undefined
    this.#isOverrun = false
    return new RlpFault('length', VALUE_TOO_LARGE)
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
export function checkSingleItem(bytes: Uint8Array): void {
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
    // geth looks whether the list has room for the content before it takes the header off, and whether the input has
    // it behind that.
    if (tooLarge !== ELEMENT_TOO_LARGE || end - start > limit - at) return new RlpFault('length', tooLarge)
    return end > bytes.length ? new RlpFault('length', VALUE_TOO_LARGE) : { isList, start, end, isCut: true }
  }
  const isByte = !isList && !isLong && end - start === 1 && (bytes[start] ?? 0) < 0x80
  return isByte ? new RlpFault('byte', SIZE) : { isList, start, end }
}
