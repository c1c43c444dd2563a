import { latin1 } from '../encoding/hex.js'
import { type Awaitable, type Steps, TimeSlice, runWithin, whenReady } from '../encoding/timeSlice.js'
import { type RpcError } from './errors.js'

/** Bytes, or text to be encoded as UTF-8. */
export type WirePiece = Uint8Array | string

/** A JSON value already in wire form: its pieces are concatenated, never parsed and printed again. */
export class WireBytes {
  readonly pieces: readonly WirePiece[]

  constructor(pieces: readonly WirePiece[]) {
    this.pieces = pieces
  }

  /** Parses the value. */
  parse(): unknown {
    return JSON.parse(pieceText(this.pieces))
  }
}

/**
 * Joins values in wire form into a JSON array. Values adjacent in the same buffer, with the comma between them, become
 * one piece: the thousands of logs of a block take only a few.
 */
export function wireArray(items: readonly WirePiece[]): WireBytes {
  const pieces: WirePiece[] = ['[']
  for (let index = 0; index < items.length;) {
    const item = items[index]!
    if (pieces.length > 1) pieces.push(',')
    if (typeof item === 'string') {
      pieces.push(item)
      index++
      continue
    }
    const memory = new Uint8Array(item.buffer)
    let end = item.byteOffset + item.length
    for (index++; index < items.length && memory[end] === COMMA; index++) {
      const next = items[index]!
      if (typeof next === 'string' || next.buffer !== item.buffer || next.byteOffset !== end + 1) break
      end += 1 + next.length
    }
    pieces.push(memory.subarray(item.byteOffset, end))
  }
  pieces.push(']')
  return new WireBytes(pieces)
}

const COMMA = 0x2c

/**
 * Appends pieces to a list: there may be more than a call of `push` takes.
 *
 * @returns their length in bytes and characters
 */
export function appendPieces(list: WirePiece[], pieces: readonly WirePiece[]): number {
  let length = 0
  for (const piece of pieces) {
    list.push(piece)
    length += piece.length
  }
  return length
}

/** Concatenates pieces as bytes. */
export function joinPieces(pieces: readonly WirePiece[]): Buffer {
  const bytes = Buffer.allocUnsafe(countBytes(pieces))
  let at = 0
  for (const piece of pieces) {
    if (typeof piece === 'string') at += bytes.write(piece, at)
    else {
      bytes.set(piece, at)
      at += piece.length
    }
  }
  return bytes
}

/** Concatenates pieces as text. */
export function pieceText(pieces: readonly WirePiece[]): string {
  const [first = ''] = pieces
  return pieces.length <= 1 && typeof first === 'string' ? first : joinPieces(pieces).toString('utf8')
}

/** Counts the bytes of the pieces in wire form. */
export function countBytes(pieces: readonly WirePiece[]): number {
  let count = 0
  for (const piece of pieces) count += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  return count
}

/** Any JSON value. Undefined members are omitted. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined }

/** A JSON Schema (2020-12) as embedded in an OpenRPC document. */
export type JsonSchema = { readonly [keyword: string]: JsonValue }

/** ASCII text that neither JSON nor {@link printJson} escapes. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/
const unsafeInHtml = /[<>&\u2028\u2029]/
const everyUnsafeInHtml = /[<>&\u2028\u2029]/g

const htmlEscapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

function escapeUnit(character: string): string {
  return htmlEscapes[character] ?? character
}

/**
 * Prints a value as JSON, with `<`, `>`, `&` and Unicode's two line separators escaped.
 *
 * Go's encoder escapes them by default (encoding/json, HTMLEscape), and so do geth's answers.
 */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`
  return escapeForHtml(JSON.stringify(value))
}

/** Escapes JSON text, or a part of it, as {@link printJson} does. */
export function escapeForHtml(text: string): string {
  return unsafeInHtml.test(text) ? text.replace(everyUnsafeInHtml, escapeUnit) : text
}

/** Reply to a body, as a transport writes it. */
export interface Reply {
  /** HTTP status; 200 unless the provider refuses the whole request. */
  readonly status: number
  readonly contentType: string
  /** Headers other than the media type. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Written in order. */
  readonly pieces: readonly Uint8Array[]
  /**
   * The bytes of a short reply as a Latin-1 string, one character per byte, so that a transport can prepend its head
   * and write both at once.
   */
  readonly byteText: string | undefined
  readonly byteLength: number
  /** Whether the body was not JSON; a WebSocket is then closed. */
  readonly malformed: boolean
}

type ReplyHead = Pick<Reply, 'status' | 'contentType' | 'headers' | 'malformed'>

/** Replies up to this many bytes have a `byteText`. */
const SHORT_REPLY = 4096
/** Replies shorter than this many bytes are joined into one piece. */
const JOIN_BELOW = 65_536

/** Creates a reply from pieces. */
export function createReply(
  pieces: readonly WirePiece[],
  { status = 200, contentType = 'application/json', malformed = false, headers }: Partial<ReplyHead> = {},
): Reply {
  const text = joinShortText(pieces)
  const byteLength = text === undefined ? countBytes(pieces) : Buffer.byteLength(text)
  if (byteLength <= SHORT_REPLY) {
    const bytes = text?.length === byteLength ? text : byteText(pieces, byteLength)
    return new ShortReply(bytes, { status, contentType, headers, malformed })
  }
  const written = byteLength < JOIN_BELOW ? [joinPieces(pieces)] : joinStrings(pieces)
  return { status, contentType, headers, pieces: written, byteText: undefined, byteLength, malformed }
}

/** A short reply, kept as text. Its bytes are created only when a transport asks for them. */
class ShortReply implements Reply {
  readonly status: number
  readonly contentType: string
  readonly headers: Reply['headers']
  readonly byteText: string
  readonly malformed: boolean

  constructor(bytes: string, { status, contentType, headers, malformed }: ReplyHead) {
    this.status = status
    this.contentType = contentType
    this.headers = headers
    this.byteText = bytes
    this.malformed = malformed
  }

  get byteLength(): number {
    return this.byteText.length
  }

  get pieces(): readonly Uint8Array[] {
    return [Buffer.from(this.byteText, 'latin1')]
  }
}

/** Joins the pieces as one text, which is faster to count; undefined if any are bytes or the text is long. */
function joinShortText(pieces: readonly WirePiece[]): string | undefined {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece !== 'string' || text.length + piece.length > SHORT_REPLY) return undefined
    text += piece
  }
  return text
}

/** Joins the pieces as a Latin-1 string, one character per byte. */
function byteText(pieces: readonly WirePiece[], byteLength: number): string {
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : latin1(piece)
  // Characters beyond ASCII take more than one byte.
  return text.length === byteLength ? text : latin1(joinPieces(pieces))
}

/** Encodes runs of short pieces together; long pieces stay separate. */
export function joinStrings(pieces: readonly WirePiece[]): Uint8Array[] {
  const joined: Uint8Array[] = []
  let run: WirePiece[] = []
  for (const piece of pieces) {
    if (piece.length < JOIN_BELOW) {
      run.push(piece)
      continue
    }
    if (run.length > 0) joined.push(joinPieces(run))
    run = []
    joined.push(typeof piece === 'string' ? Buffer.from(piece) : piece)
  }
  if (run.length > 0) joined.push(joinPieces(run))
  return joined
}

/** Builds a successful answer; `id` is JSON text. */
export function successPieces(id: string, result: readonly WirePiece[]): WirePiece[] {
  return [`{"jsonrpc":"2.0","id":${id},"result":`, ...result, '}']
}

/** Builds an error answer as text; `id` is JSON text. */
export function errorText(id: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${printJson(error.toObject())}}`
}

/** Builds an error answer; `id` is JSON text. */
export function errorPieces(id: string, { object }: FailedOutcome): WirePiece[] {
  return [`{"jsonrpc":"2.0","id":${id},"error":`, ...object, '}']
}

/** Characters of a text that are printed in one step: revert reasons and revert data can take megabytes. */
const PRINTED_AT_ONCE = 65_536

/** Whether the members of an error object are short enough to be printed in one step. */
function isShort({ message, data }: RpcError): boolean {
  if (message.length > PRINTED_AT_ONCE) return false
  if (typeof data === 'string') return data.length <= PRINTED_AT_ONCE
  return typeof data !== 'object'
}

/** Incremental {@link printJson} for the texts of an object. */
function* printObject(object: JsonValue): Steps<WirePiece[]> {
  if (typeof object === 'string') return yield* printText(object)
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return [printJson(object)]
  const pieces: WirePiece[] = []
  for (const [name, member] of Object.entries(object as Record<string, JsonValue | undefined>)) {
    if (member === undefined) continue
    pieces.push(`${pieces.length === 0 ? '{' : ','}${printJson(name)}:`)
    for (const piece of yield* printObject(member)) pieces.push(piece)
  }
  return pieces.length === 0 ? ['{}'] : [...pieces, '}']
}

/** Incremental {@link printJson} for a text. */
export function* printText(text: string): Steps<string[]> {
  if (text.length <= PRINTED_AT_ONCE) return [printJson(text)]
  const pieces = ['"']
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PRINTED_AT_ONCE, text.length)
    // Half of a surrogate pair would be escaped.
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end++
    pieces.push(printJson(text.slice(start, end)).slice(1, -1))
    start = end
    yield
  }
  return [...pieces, '"']
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}

/** Outcome of a call: its result in wire form, or an error. */
export type Outcome = { result: readonly WirePiece[] } | FailedOutcome

/** An error, and its error object in wire form. */
export interface FailedOutcome {
  error: RpcError
  object: readonly WirePiece[]
  /** Whether it answers a message that is not a call, and so carries no id. */
  isWithoutId?: boolean
}

/** Encodes an error. */
export function failedOutcome(error: RpcError): FailedOutcome {
  return { error, object: [error.text ?? printJson(error.toObject())] }
}

/** Like {@link failedOutcome}, with yields for long messages and data. */
export function failedOutcomeInSlices(error: RpcError): Awaitable<FailedOutcome> {
  if (error.text !== undefined || isShort(error)) return failedOutcome(error)
  const printing = runWithin(printObject(error.toObject()), new TimeSlice())
  return whenReady(printing, (object) => ({ error, object }))
}

/** Encodes a result. */
export function encodeResult(result: JsonValue | WireBytes): readonly WirePiece[] {
  return result instanceof WireBytes ? result.pieces : [printJson(result)]
}

/** Counts the bytes of the result or the error object. */
export function outcomeBytes(outcome: Outcome): number {
  return countBytes('result' in outcome ? outcome.result : outcome.object)
}
