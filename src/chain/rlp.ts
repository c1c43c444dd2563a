/*
 * Zero-copy RLP, beside @ethereumjs/rlp: reading finds an item without decoding its neighbours, and writing fills a
 * single array where the library allocates one per item.
 *
 * Input is trusted: it comes from this program's own store, or has passed strictRlp.ts.
 */

import type { Steps } from '../encoding/timeSlice.js'

/** Offsets of the payload of an item. */
export interface Payload {
  start: number
  end: number
}

function lengthAt(bytes: Uint8Array, position: number, count: number): number {
  let length = 0
  for (let i = 0; i < count; i++) length = length * 256 + (bytes[position + i] ?? 0)
  return length
}

/** Returns the end offset of the item at a position. */
export function itemEnd(bytes: Uint8Array, position: number): number {
  const first = bytes[position] ?? 0
  if (first < 0x80) return position + 1
  if (first < 0xb8) return position + 1 + first - 0x80
  if (first < 0xc0) return position + 1 + first - 0xb7 + lengthAt(bytes, position + 1, first - 0xb7)
  if (first < 0xf8) return position + 1 + first - 0xc0
  return position + 1 + first - 0xf7 + lengthAt(bytes, position + 1, first - 0xf7)
}

/** Returns the start offset of the payload of the item at a position. */
export function payloadStart(bytes: Uint8Array, position: number): number {
  const first = bytes[position] ?? 0
  if (first < 0x80) return position
  if (first < 0xb8) return position + 1
  if (first < 0xc0) return position + 1 + first - 0xb7
  return first < 0xf8 ? position + 1 : position + 1 + first - 0xf7
}

/** Returns the offsets of the payload of the item at a position. */
export function payloadAt(bytes: Uint8Array, position: number): Payload {
  return { start: payloadStart(bytes, position), end: itemEnd(bytes, position) }
}

/** Whether the item at a position is a list. */
export function isList(bytes: Uint8Array, position = 0): boolean {
  return (bytes[position] ?? 0) >= 0xc0
}

/** Returns a view of the payload of the item at the start of the bytes. */
export function payloadOf(item: Uint8Array): Uint8Array {
  const { start, end } = payloadAt(item, 0)
  return item.subarray(start, end)
}

/** Returns views of the items of a list, headers included. */
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

/** Returns views of the payloads of the items of a list. */
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

/** Returns a view of the item at an index of a list, header included. */
export function itemAt(list: Uint8Array, index: number): Uint8Array {
  let position = payloadStart(list, 0)
  for (let i = 0; i < index; i++) position = itemEnd(list, position)
  return list.subarray(position, itemEnd(list, position))
}

/**
 * Whether the list at the start of the bytes has two items, like a leaf or extension, rather than a branch's seventeen.
 */
export function isPair(list: Uint8Array): boolean {
  return itemEnd(list, itemEnd(list, payloadStart(list, 0))) === itemEnd(list, 0)
}

/** Whether a byte string is its own encoding: a single byte below 0x80. */
function encodesItself(bytes: Uint8Array): boolean {
  return bytes.length === 1 && (bytes[0] as number) < 0x80
}

/** Returns the length of the header of a payload that is not a single byte below 0x80. */
function headerLength(payloadLength: number): number {
  if (payloadLength < 56) return 1
  return payloadLength < 0x100 ? 2 : payloadLength < 0x10000 ? 3 : payloadLength < 0x1000000 ? 4 : 5
}

/** Writes the header of a payload and returns the start of the payload. `base` is 0x80 for strings, 0xc0 for lists. */
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

/** Returns the encoded length of a byte string. */
export function stringLength(bytes: Uint8Array): number {
  if (encodesItself(bytes)) return 1
  return headerLength(bytes.length) + bytes.length
}

/** Writes a byte string as an item and returns the end of the item. */
export function writeString(into: Uint8Array, position: number, bytes: Uint8Array): number {
  const start = encodesItself(bytes) ? position : writeHeader(into, position, bytes.length, 0x80)
  into.set(bytes, start)
  return start + bytes.length
}

/** Returns the encoded length of a list, given the total length of its items. */
export function listLength(itemsLength: number): number {
  return headerLength(itemsLength) + itemsLength
}

/** Writes the header of a list, given the total length of its items, and returns the start of the items. */
export function writeListHeader(list: Uint8Array, itemsLength: number): number {
  return writeHeader(list, 0, itemsLength, 0xc0)
}

/** Encodes a byte string as an item. */
export function encodeString(bytes: Uint8Array): Uint8Array {
  if (encodesItself(bytes)) return bytes
  const item = new Uint8Array(stringLength(bytes))
  writeString(item, 0, bytes)
  return item
}

/** Joins encoded items into a list. */
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

/** Input of {@link encodeRlp}: a byte string, or a nested list of them. */
export type RlpInput = Uint8Array | EncodedItem | readonly RlpInput[]

/** An item that is already encoded, copied into its list as is. */
export class EncodedItem {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/**
 * Encodes a byte string or nested lists. Measures everything first, then writes into a single array.
 *
 * @param room - number of zero bytes to leave in front
 */
export function encodeRlp(input: RlpInput, room = 0): Uint8Array {
  const payloads: number[] = []
  const bytes = new Uint8Array(room + measure(input, payloads))
  new RlpWriter(bytes, payloads, room).write(input)
  return bytes
}

/** Returns the encoded length, and records the payload length of every list, outer lists before inner ones. */
function measure(input: RlpInput, payloads: number[]): number {
  if (input instanceof Uint8Array) return stringLength(input)
  if (input instanceof EncodedItem) return input.bytes.length
  const index = payloads.push(0) - 1
  let payload = 0
  for (const item of input) payload += measure(item, payloads)
  payloads[index] = payload
  return listLength(payload)
}

/** Items measured or written between two yields. */
const ITEMS_AT_ONCE = 1024

/** Encodes a long list, like {@link encodeRlp}. */
export function* encodeListInSteps(items: readonly RlpInput[]): Steps<Uint8Array> {
  const payloads: number[] = []
  let length = 0
  for (const [index, item] of items.entries()) {
    length += measure(item, payloads)
    if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield
  }
  const list = new Uint8Array(listLength(length))
  const writer = new RlpWriter(list, payloads, writeListHeader(list, length))
  for (const [index, item] of items.entries()) {
    writer.write(item)
    if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield
  }
  return list
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
