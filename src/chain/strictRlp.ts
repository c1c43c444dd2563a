import { bytesToBigint, smallBigintAt } from '../encoding/hex.js'
import { TransactionEncodingError } from './errors.js'
import { type Payload, payloadAt } from './rlp.js'

/*
 * Reads untrusted RLP in place. Rejects what is not canonical, with the messages of go-ethereum's rlp/decode.go.
 */

/** Maximum nesting depth that is read; blob transactions nest five deep. */
const DEPTH = 8

/** Messages of geth's rlp package where no type is known (rlp/decode.go). */
const VALUE_TOO_LARGE = 'rlp: value size exceeds available input length'
const ELEMENT_TOO_LARGE = 'rlp: element is larger than containing list'
const SIZE = 'rlp: non-canonical size information'

/** Offsets and type of the content of an item. */
export interface RlpSpan extends Payload {
  isList: boolean
  /** Whether the content overruns the enclosing list, by no more than the length of the item's own header. */
  isTruncated?: boolean
}

/** A byte string, a list of items, or a fault where neither can be read. */
export type RlpItem = RlpString | RlpList | RlpFault

/** A byte string, referenced in place: most are numbers and need no array of their own. */
export class RlpString {
  readonly #encoding: Uint8Array
  readonly #start: number
  /** Whether the bytes overrun the enclosing list: every read then throws TransactionEncodingError. */
  readonly #isTruncated: boolean
  readonly length: number

  constructor(
    encoding: Uint8Array,
    { start, end, isTruncated = false }: Pick<RlpSpan, 'start' | 'end' | 'isTruncated'>,
  ) {
    this.#encoding = encoding
    this.#start = start
    this.#isTruncated = isTruncated
    this.length = end - start
  }

  /** The first byte; undefined for an empty string. */
  get first(): number | undefined {
    this.#checkNotTruncated()
    return this.length === 0 ? undefined : this.#encoding[this.#start]
  }

  /** Returns a copy of the bytes. */
  toBytes(): Uint8Array {
    this.#checkNotTruncated()
    return this.#encoding.slice(this.#start, this.#start + this.length)
  }

  /** Decodes the bytes as a big-endian number. */
  toBigint(): bigint {
    this.#checkNotTruncated()
    const { length } = this
    if (length <= 8) return smallBigintAt(this.#encoding, this.#start, length)
    return bytesToBigint(this.#encoding.subarray(this.#start, this.#start + length))
  }

  #checkNotTruncated(): void {
    if (this.#isTruncated) throw new TransactionEncodingError(ELEMENT_TOO_LARGE)
  }
}

/** A list whose items are read on demand, each once: the first of a million items may already be invalid. */
export class RlpList {
  readonly #encoding: Uint8Array
  readonly #depth: number
  readonly isEmpty: boolean
  #at: number
  #end: number
  /** Whether a nested list overran this one: geth then treats the rest of the input as part of this list. */
  #isOverrun = false

  constructor(encoding: Uint8Array, { start, end }: Pick<RlpSpan, 'start' | 'end'>, depth: number) {
    this.#encoding = encoding
    this.#at = start
    this.#end = end
    this.#depth = depth
    this.isEmpty = start >= end
  }

  /** Whether any items are left. */
  get hasMore(): boolean {
    return this.#at < this.#end || this.#isOverrun
  }

  /** Returns the next item; undefined after the last one, and after a badly encoded one. */
  next(): RlpItem | undefined {
    if (this.#at >= this.#end) return this.#endOverrun()
    const span = readHeader(this.#encoding, this.#at, this.#end, ELEMENT_TOO_LARGE)
    this.#at = span instanceof RlpFault ? this.#end : span.end
    if (span instanceof RlpFault) return span
    if (span.isList && span.isTruncated === true) {
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
 * A badly encoded item. The message depends on the type expected there. Nothing after it is read: geth decodes as it
 * goes and stops at the first error.
 */
export class RlpFault {
  /**
   * - `size`: the length takes more bytes than it needs, or has leading zeros.
   * - `byte`: a string of one byte that should encode itself.
   * - `length`: the item is longer than the list or input that contains it.
   */
  readonly kind: 'size' | 'byte' | 'length'
  readonly message: string

  constructor(kind: RlpFault['kind'], message: string) {
    this.kind = kind
    this.message = message
  }
}

/**
 * Decodes the single item that the bytes begin with, rejecting non-canonical encodings like geth. Leaves out anything
 * nested deeper than a transaction can be: the reader then rejects the enclosing list.
 */
export function decodeStrictRlp(bytes: Uint8Array): RlpItem {
  const span = readHeader(bytes, 0, bytes.length, VALUE_TOO_LARGE)
  return span instanceof RlpFault ? span : readItem(bytes, span, 0)
}

/**
 * Checks that nothing follows the first item, if that can be read at all.
 *
 * @throws TransactionEncodingError
 */
export function checkSingleItem(bytes: Uint8Array): void {
  const span = readHeader(bytes, 0, bytes.length, VALUE_TOO_LARGE)
  if (span instanceof RlpFault || span.end === bytes.length) return
  throw new TransactionEncodingError('rlp: input contains more than one value')
}

/**
 * Finds the content of the item at an offset, whatever its type (geth: rlp/raw.go, Split).
 *
 * @throws TransactionEncodingError with the message of that function
 */
export function splitRlp(bytes: Uint8Array, at: number, limit: number): RlpSpan {
  const first = bytes[at] ?? 0
  const lengthBytes = first >= 0xf8 ? first - 0xf7 : first >= 0xb8 && first < 0xc0 ? first - 0xb7 : 0
  if (at + 1 + lengthBytes > limit) throw new TransactionEncodingError('unexpected EOF')
  const span = readHeader(bytes, at, limit, VALUE_TOO_LARGE)
  if (span instanceof RlpFault) throw new TransactionEncodingError(span.message)
  return span
}

/**
 * Yields the items of a list as views, without decoding them: a list with its header, and only the content of a string.
 * These are the EIP-2718 forms of a block's transactions and of its receipts.
 */
export function* envelopesOf(
  bytes: Uint8Array,
  list: Pick<RlpSpan, 'start' | 'end'>,
): Generator<Uint8Array, undefined> {
  for (let at = list.start; at < list.end;) {
    const { isList, start, end } = splitRlp(bytes, at, list.end)
    yield bytes.subarray(isList ? at : start, end)
    at = end
  }
}

function readItem(bytes: Uint8Array, span: RlpSpan, depth: number): RlpItem {
  if (!span.isList) return new RlpString(bytes, span)
  return new RlpList(bytes, depth === DEPTH ? { ...span, end: span.start } : span, depth)
}

/** Locates the content of the item at an offset in untrusted bytes. */
function readHeader(bytes: Uint8Array, at: number, limit: number, tooLarge: string): RlpSpan | RlpFault {
  const first = bytes[at] ?? 0
  if (first < 0x80) return { isList: false, start: at, end: at + 1 }
  const isList = first >= 0xc0
  const { start, end } = payloadAt(bytes, at)
  const isLong = start > at + 1
  if (start > limit) return new RlpFault('length', tooLarge)
  if (isLong && (bytes[at + 1] === 0 || end - start < 56)) return new RlpFault('size', SIZE)
  if (end > limit) {
    // geth checks that the enclosing list has room for the content before it takes off the header, and that the input
    // has room after it.
    if (tooLarge !== ELEMENT_TOO_LARGE || end - start > limit - at) return new RlpFault('length', tooLarge)
    return end > bytes.length
      ? new RlpFault('length', VALUE_TOO_LARGE)
      : { isList, start, end, isTruncated: true }
  }
  const isByte = !isList && !isLong && end - start === 1 && (bytes[start] ?? 0) < 0x80
  return isByte ? new RlpFault('byte', SIZE) : { isList, start, end }
}
