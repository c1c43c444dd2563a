import { bytesToBigint, smallBigintAt } from '../encoding/hex.js'
import { TransactionEncodingError } from './errors.js'

/*
 * RLP in place, beside @ethereumjs/rlp: reading finds items without decoding others, and writing fills one array, where the
 * library makes an array for every item.
 *
 * Bytes of this program's own store are trusted. Bytes from outside go through decodeStrictRlp and splitRlp, which refuse
 * in geth's words what is not canonical.
 */

/** Where the payload of an item begins and ends. */
export interface Payload {
  start: number
  end: number
}

function lengthAt(bytes: Uint8Array, position: number, count: number): number {
  let length = 0
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[position + i] ?? 0)
  return length
}

/** Where the item at a position ends. */
export function itemEnd(bytes: Uint8Array, position: number): number {
  const first = bytes[position] ?? 0
  if (first < 0x80) return position + 1
  if (first < 0xb8) return position + 1 + first - 0x80
  if (first < 0xc0) return position + 1 + first - 0xb7 + lengthAt(bytes, position + 1, first - 0xb7)
  if (first < 0xf8) return position + 1 + first - 0xc0
  return position + 1 + first - 0xf7 + lengthAt(bytes, position + 1, first - 0xf7)
}

/** Where the payload of the item at a position begins. */
export function payloadStart(bytes: Uint8Array, position: number): number {
  const first = bytes[position] ?? 0
  if (first < 0x80) return position
  if (first < 0xb8) return position + 1
  if (first < 0xc0) return position + 1 + first - 0xb7
  return first < 0xf8 ? position + 1 : position + 1 + first - 0xf7
}

/** Where the payload of the item at a position begins and ends. */
export function payloadAt(bytes: Uint8Array, position: number): Payload {
  return { start: payloadStart(bytes, position), end: itemEnd(bytes, position) }
}

/** Whether the item at a position is a list. */
export function isList(bytes: Uint8Array, position = 0): boolean {
  return (bytes[position] ?? 0) >= 0xc0
}

/** How many items there are in RLP, those in lists among them. */
export function countItems(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; count++) {
    at = isList(bytes, at) ? payloadStart(bytes, at) : itemEnd(bytes, at)
  }
  return count
}

/** The payload of the item that begins the bytes, as a view on them. */
export function payloadOf(item: Uint8Array): Uint8Array {
  const { start, end } = payloadAt(item, 0)
  return item.subarray(start, end)
}

/** The items of a list, each with its own header, as views on its bytes. */
export function itemsOf(list: Uint8Array): Uint8Array[] {
  const { start, end } = payloadAt(list, 0)
  const items: Uint8Array[] = []
  for (let position = start; position < end;) {
    const next = itemEnd(list, position)
    items.push(list.subarray(position, next))
    position = next
  }
  return items
}

/** What the items of a list hold, as views on its bytes. */
export function payloadsOf(list: Uint8Array): Uint8Array[] {
  const { start, end } = payloadAt(list, 0)
  const payloads: Uint8Array[] = []
  for (let position = start; position < end;) {
    const payload = payloadAt(list, position)
    payloads.push(list.subarray(payload.start, payload.end))
    position = payload.end
  }
  return payloads
}

/** The item of a list at an index, with its own header, as a view on the list's bytes. */
export function itemAt(list: Uint8Array, index: number): Uint8Array {
  let position = payloadStart(list, 0)
  for (let i = 0; i < index; i++) position = itemEnd(list, position)
  return list.subarray(position, itemEnd(list, position))
}

/**
 * Whether the list that begins the bytes has two items, as leaves and extensions have, and not seventeen as branches.
 */
export function isPair(list: Uint8Array): boolean {
  return itemEnd(list, itemEnd(list, payloadStart(list, 0))) === itemEnd(list, 0)
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
  readonly #isCut: boolean
  #at: number

  constructor(encoding: Uint8Array, { start, end, isCut = false }: Omit<RlpSpan, 'isList'>, depth: number) {
    this.#encoding = encoding
    this.#isCut = isCut
    this.#at = start
    this.#end = end
    this.#depth = depth
    this.isEmpty = start >= end
  }

  /** @throws TransactionEncodingError if the list reaches beyond the one that it stands in */
  checkWhole(): void {
    if (this.#isCut) throw new TransactionEncodingError(ELEMENT_TOO_LARGE)
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

/** Where the content of an item lies, and what it is. */
export interface RlpSpan extends Payload {
  isList: boolean
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
    // geth looks whether the list has room for the content before it takes the header off, and whether the input has
    // it behind that.
    if (tooLarge !== ELEMENT_TOO_LARGE || end - start > limit - at) return new RlpFault('length', tooLarge)
    return end > bytes.length ? new RlpFault('length', VALUE_TOO_LARGE) : { isList, start, end, isCut: true }
  }
  const isByte = !isList && !isLong && end - start === 1 && (bytes[start] ?? 0) < 0x80
  return isByte ? new RlpFault('byte', SIZE) : { isList, start, end }
}

/** Whether a byte string is its own RLP. */
function isItsOwnItem(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] as number) < 0x80
}

/** How long the header of a payload is that is not a single byte below 0x80. */
function headerLength(payloadLength: number): number {
  if (payloadLength < 56) return 1
  return payloadLength < 0x100 ? 2 : payloadLength < 0x10000 ? 3 : payloadLength < 0x1000000 ? 4 : 5
}

/**
 * Writes the header of a payload and returns where the payload begins. `base` is 0x80 for strings, 0xc0 for lists.
 */
function writeHeader(into: Uint8Array, position: number, payloadLength: number, base: number): number {
  const length = headerLength(payloadLength)
  if (length === 1) {
    into[position] = base + payloadLength
    return position + 1
  }
  into[position] = base + 54 + length
  for (let i = 1, rest = payloadLength; i < length; i++) {
    into[position + length - i] = rest & 0xff
    rest >>>= 8
  }
  return position + length
}

/** How long the item of a byte string is. */
export function stringLength(bytes: Uint8Array): number {
  if (isItsOwnItem(bytes)) return 1
  return headerLength(bytes.length) + bytes.length
}

/** Writes a byte string as an item and returns where the item ends. */
export function writeString(into: Uint8Array, position: number, bytes: Uint8Array): number {
  const start = isItsOwnItem(bytes) ? position : writeHeader(into, position, bytes.length, 0x80)
  into.set(bytes, start)
  return start + bytes.length
}

/** How long a list is whose items have so many bytes. */
export function listLength(itemsLength: number): number {
  return headerLength(itemsLength) + itemsLength
}

/** Writes the header of a list whose items have so many bytes at the beginning of it, and returns where they begin. */
export function writeListHeader(list: Uint8Array, itemsLength: number): number {
  return writeHeader(list, 0, itemsLength, 0xc0)
}

/** A byte string as an item. */
export function encodeString(bytes: Uint8Array): Uint8Array {
  if (isItsOwnItem(bytes)) return bytes
  const item = new Uint8Array(stringLength(bytes))
  writeString(item, 0, bytes)
  return item
}

/** Items, each with its own header, as a list. */
export function encodeList(items: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of items) length += item.length
  const list = new Uint8Array(listLength(length))
  let position = writeListHeader(list, length)
  for (const item of items) {
    list.set(item, position)
    position += item.length
  }
  return list
}

/** What {@link encodeRlp} takes: a byte string, or a list of such. */
export type RlpInput = Uint8Array | EncodedItem | readonly RlpInput[]

/** An item that is encoded already and stands in a list as it is. */
export class EncodedItem {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/**
 * The RLP of a byte string or of nested lists. The whole is measured first and then written into one array.
 *
 * @param room - so many zero bytes are left in front
 */
export function encodeRlp(input: RlpInput, room = 0): Uint8Array {
  const payloads: number[] = []
  const bytes = new Uint8Array(room + measure(input, payloads))
  new RlpWriter(bytes, payloads, room).write(input)
  return bytes
}

/** Bytes of the RLP of an input. The payload length of every list in it is noted, outer lists before inner ones. */
function measure(input: RlpInput, payloads: number[]): number {
  if (input instanceof Uint8Array) return stringLength(input)
  if (input instanceof EncodedItem) return input.bytes.length
  const index = payloads.push(0) - 1
  let payload = 0
  for (const item of input) payload += measure(item, payloads)
  payloads[index] = payload
  return listLength(payload)
}

class RlpWriter {
  readonly #bytes: Uint8Array
  readonly #payloads: readonly number[]
  #list = 0
  #position: number

  constructor(bytes: Uint8Array, payloads: readonly number[], position: number) {
    this.#bytes = bytes
    this.#payloads = payloads
    this.#position = position
  }

  write(input: RlpInput): void {
    if (input instanceof Uint8Array) {
      this.#position = writeString(this.#bytes, this.#position, input)
    } else if (input instanceof EncodedItem) {
      this.#bytes.set(input.bytes, this.#position)
      this.#position += input.bytes.length
    } else {
      this.#position = writeHeader(this.#bytes, this.#position, this.#payloads[this.#list++] as number, 0xc0)
      for (const item of input) this.write(item)
    }
  }
}
