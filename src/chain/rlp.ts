/*
 * RLP in place, beside @ethereumjs/rlp: reading finds items without decoding others, and writing fills one array, where the
 * library makes an array for every item.
 *
 * What is read is trusted: bytes of this program's own store, and bytes that strictRlp.ts has read before.
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
