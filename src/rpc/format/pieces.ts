import type { SealedBlock } from '../../chain/block/record.js'
import { bytesToHex, bytesToPlainHex, hexPieces } from '../../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type JsonValue, WireBytes, type WirePiece, printJson } from '../wire.js'

/** Approximate length of the pieces in which text is encoded. */
const PIECE_LENGTH = 262_144

/**
 * Accumulates a long text as bytes off the heap: one long string, or many small ones, would take several times its
 * length. A short text, or the rest at the end, stays a string, as allocating a buffer for it costs more than it saves.
 */
export class PieceWriter {
  readonly #pieces: WirePiece[] = []
  #text = ''

  append(text: string): void {
    this.#text += text
    if (this.#text.length > PIECE_LENGTH) this.#flush()
  }

  /** Appends a piece from another writer. */
  take(piece: WirePiece): void {
    if (typeof piece === 'string') return this.append(piece)
    this.#flush()
    this.#pieces.push(piece)
  }

  /** Returns everything appended so far. */
  pieces(): readonly WirePiece[] {
    return this.#text === '' ? this.#pieces : [...this.#pieces, this.#text]
  }

  #flush(): void {
    if (this.#text === '') return
    this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** Writes a JSON array value by value, or an object member by member, with the separators. */
export class ListWriter {
  readonly #writer: PieceWriter
  readonly #brackets: '[]' | '{}'
  #isEmpty = true

  constructor(writer: PieceWriter, brackets: '[]' | '{}' = '[]') {
    this.#writer = writer
    this.#brackets = brackets
  }

  /** @param text - a value or member, or its beginning: the rest may be appended to the writer */
  append(text: string): void {
    this.#writer.append((this.#isEmpty ? this.#brackets.charAt(0) : ',') + text)
    this.#isEmpty = false
  }

  /** Ends the array or object. */
  end(): void {
    this.#writer.append(this.#isEmpty ? this.#brackets : this.#brackets.charAt(1))
  }
}

/**
 * Collects output written piece by piece, yielding to other work between pieces.
 *
 * @param write - must call a generator function defined elsewhere: V8 gives each new one a hidden class, which retains
 * everything it refers to until the next full collection
 */
export async function written(write: (writer: PieceWriter) => Steps<void>): Promise<WireBytes> {
  const writer = new PieceWriter()
  await runInSlices(write(writer), new TimeSlice())
  return new WireBytes(writer.pieces())
}

/** Writes an array with the value of each item; items that map to undefined are omitted. */
export function writtenList<T>(
  items: Iterable<T>,
  show: (item: T) => JsonValue | undefined,
): Promise<WireBytes> {
  return written((writer) => writeList(items, show, writer))
}

function* writeList<T>(
  items: Iterable<T>,
  show: (item: T) => JsonValue | undefined,
  writer: PieceWriter,
): Steps<void> {
  const list = new ListWriter(writer)
  for (const item of items) {
    const value = show(item)
    if (value !== undefined) list.append(printJson(value))
    yield
  }
  list.end()
}

/** Writes an array of the items' texts. */
export function writtenTexts<T>(items: Iterable<T>, text: (item: T) => string): Promise<WireBytes> {
  return written((writer) => writeTexts(items, text, writer))
}

function* writeTexts<T>(items: Iterable<T>, text: (item: T) => string, writer: PieceWriter): Steps<void> {
  const list = new ListWriter(writer)
  for (const item of items) {
    list.append(text(item))
    yield
  }
  list.end()
}

/** Longer byte strings are written in pieces. */
const BYTES_AT_ONCE = 64 * 1024

/** Encodes bytes as a JSON string: `0x` and lower-case hexadecimal digits, nothing to escape. */
export function bytesWire(bytes: Uint8Array): Awaitable<WireBytes> {
  if (bytes.length > BYTES_AT_ONCE) return written((writer) => writeBytes(bytes, writer))
  return new WireBytes([`"${bytesToHex(bytes)}"`])
}

/** Writes bytes like {@link bytesWire}. */
export function* writeBytes(bytes: Uint8Array, writer: PieceWriter): Steps<void> {
  if (bytes.length <= BYTES_AT_ONCE) {
    writer.append(jsonBytes(bytes))
    return
  }
  writer.append('"')
  for (const piece of hexPieces(bytes)) {
    writer.append(piece)
    yield
  }
  writer.append('"')
}

/** Joins values in pieces into a JSON array. */
export function arrayPieces(values: readonly (readonly WirePiece[])[]): WirePiece[] {
  return ['[', ...separated(values), ']']
}

/** Joins values in pieces with commas. */
export function separated(values: readonly (readonly WirePiece[])[]): WirePiece[] {
  const pieces: WirePiece[] = []
  for (const value of values) {
    if (pieces.length > 0) pieces.push(',')
    pieces.push(...value)
  }
  return pieces
}

/** Encodes bytes as JSON text: hexadecimal in quotes. */
export function jsonBytes(bytes: Uint8Array): string {
  return `"0x${bytesToPlainHex(bytes)}"`
}

/** Encodes a number as JSON text: a QUANTITY in quotes. */
export function jsonQuantity(value: bigint | number): string {
  return `"0x${value.toString(16)}"`
}

/** Returns the member `,"name":"0x…"` for bytes, or nothing if undefined. */
export function bytesMember(name: string, bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : `,"${name}":${jsonBytes(bytes)}`
}

/** Returns the member `,"name":"0x…"` for a number, or nothing if undefined. */
export function quantityMember(name: string, value: bigint | number | undefined): string {
  return value === undefined ? '' : `,"${name}":${jsonQuantity(value)}`
}

/** Block members common to all its transactions and logs, encoded once as JSON text. */
export interface BlockReference {
  hash: string
  number: string
  timestamp: string
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
}

/** Returns the members of a block that its contents refer to. */
export function blockReference({ hash, header }: Pick<SealedBlock, 'hash' | 'header'>): BlockReference {
  return {
    hash: jsonBytes(hash),
    number: jsonQuantity(header.number),
    timestamp: jsonQuantity(header.timestamp),
    baseFee: header.baseFeePerGas,
  }
}

/** Position of a text in a byte array. */
export interface TextSpan {
  start: number
  end: number
}

/**
 * Locates the value of a string member, without its quotes. Only for the wire form of transactions and receipts, which
 * contains no text of a user's choosing; parsing it for one or two members would be wasteful.
 *
 * @param from - start of the search
 */
export function textMember(wire: Uint8Array, name: string, from = 0): TextSpan | undefined {
  const bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.length)
  const key = `"${name}":"`
  const at = bytes.indexOf(key, from, 'latin1')
  if (at < 0) return undefined
  const start = at + key.length
  return { start, end: bytes.indexOf('"', start, 'latin1') }
}
