import type { SealedBlock } from '../../chain/block/record.js'
import { bytesToHex, bytesToPlainHex } from '../../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { type JsonValue, WireBytes, type WirePiece, printJson } from '../wire.js'

/** Text is turned into bytes in pieces of about this length. */
const PIECE_LENGTH = 262_144

/**
 * Takes a long text bit by bit and keeps it as bytes, outside of the heap: as one string, or as many small ones, it would
 * take several times its length. A short one, or what is left at the end, stays text: bytes outside of the heap cost more
 * than a few of them are worth.
 */
export class PieceWriter {
  readonly #pieces: WirePiece[] = []
  #text = ''

  append(text: string): void {
    this.#text += text
    if (this.#text.length > PIECE_LENGTH) this.#flush()
  }

  /** Takes a piece that another writer made. */
  take(piece: WirePiece): void {
    if (typeof piece === 'string') return this.append(piece)
    this.#flush()
    this.#pieces.push(piece)
  }

  /** Everything that was taken so far. */
  pieces(): readonly WirePiece[] {
    return this.#text === '' ? this.#pieces : [...this.#pieces, this.#text]
  }

  #flush(): void {
    if (this.#text === '') return
    this.#pieces.push(Buffer.from(this.#text))
    this.#text = ''
  }
}

/** Writes a JSON array value by value, or an object member by member, with what stands between them. */
export class ListWriter {
  readonly #writer: PieceWriter
  readonly #brackets: '[]' | '{}'
  #isEmpty = true

  constructor(writer: PieceWriter, brackets: '[]' | '{}' = '[]') {
    this.#writer = writer
    this.#brackets = brackets
  }

  /** @param text - of a value or member, or of its beginning: the rest may be appended to the writer */
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
 * What is written piece by piece, with turns for other work between them.
 *
 * @param write - calls a generator function that is not made anew for it: V8 gives each such function a hidden class, which
 *   keeps what it refers to until the next full collection
 */
export async function written(write: (writer: PieceWriter) => Steps<void>): Promise<WireBytes> {
  const writer = new PieceWriter()
  await runInSlices(write(writer), new TimeSlice())
  return new WireBytes(writer.pieces())
}

/** An array of what is shown of each item; undefined is left out. */
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

/** An array of the texts of items. */
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

/** Bytes that are written at once. */
const BYTES_AT_ONCE = 64 * 1024

/** Bytes as a JSON string of lower-case hexadecimal digits behind `0x`, in which there is nothing to escape. */
export function bytesWire(bytes: Uint8Array): WireBytes | Promise<WireBytes> {
  if (bytes.length > BYTES_AT_ONCE) return written((writer) => writeBytes(bytes, writer))
  return new WireBytes([`"${bytesToHex(bytes)}"`])
}

function* writeBytes(bytes: Uint8Array, writer: PieceWriter): Steps<void> {
  writer.append('"0x')
  for (let at = 0; at < bytes.length; at += BYTES_AT_ONCE) {
    writer.append(bytesToPlainHex(bytes.subarray(at, at + BYTES_AT_ONCE)))
    yield
  }
  writer.append('"')
}

/** A JSON array of values that consist of pieces. */
export function arrayPieces(values: readonly (readonly WirePiece[])[]): WirePiece[] {
  return ['[', ...separated(values), ']']
}

/** Values that consist of pieces, with commas between them. */
export function separated(values: readonly (readonly WirePiece[])[]): WirePiece[] {
  const pieces: WirePiece[] = []
  for (const value of values) {
    if (pieces.length > 0) pieces.push(',')
    pieces.push(...value)
  }
  return pieces
}

/** A byte string as JSON text: hexadecimal in quotes. */
export function jsonBytes(bytes: Uint8Array): string {
  return `"0x${bytesToPlainHex(bytes)}"`
}

/** A number as JSON text: a QUANTITY in quotes. */
export function jsonQuantity(value: bigint | number): string {
  return `"0x${value.toString(16)}"`
}

/** The member `,"name":"0x…"` of a byte string, or nothing where there is none. */
export function bytesMember(name: string, bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : `,"${name}":${jsonBytes(bytes)}`
}

/** The member `,"name":"0x…"` of a number, or nothing where there is none. */
export function quantityMember(name: string, value: bigint | number | undefined): string {
  return value === undefined ? '' : `,"${name}":${jsonQuantity(value)}`
}

/** Where in a block something is, as JSON texts that are made once for all its transactions and logs. */
export interface BlockPlace {
  hash: string
  number: string
  timestamp: string
  /** Wei per gas; undefined before London. */
  baseFee: bigint | undefined
}

/** The place of what a block holds. */
export function placeInBlock({ hash, header }: Pick<SealedBlock, 'hash' | 'header'>): BlockPlace {
  return {
    hash: jsonBytes(hash),
    number: jsonQuantity(header.number),
    timestamp: jsonQuantity(header.timestamp),
    baseFee: header.baseFeePerGas,
  }
}

/** Where a text lies in bytes. */
export interface TextSpan {
  start: number
  end: number
}

/**
 * Where the value of a member lies between its quotes. It is for the wire bytes of transactions and receipts, in which no
 * text stands that anybody could have chosen: it is not worth parsing them for a member or two.
 *
 * @param from - where the search begins
 */
export function textMember(wire: Uint8Array, name: string, from = 0): TextSpan | undefined {
  const bytes = Buffer.from(wire.buffer, wire.byteOffset, wire.length)
  const key = `"${name}":"`
  const at = bytes.indexOf(key, from, 'latin1')
  if (at < 0) return undefined
  const start = at + key.length
  return { start, end: bytes.indexOf('"', start, 'latin1') }
}
