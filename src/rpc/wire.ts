import { latin1 } from '../encoding/hex.js'
import { RevertError, type RpcError } from './errors.js'

/** Bytes, or text whose UTF-8 form is meant. */
export type WirePiece = Uint8Array | string

/**
 * A JSON value that is already in the form it has on the wire: its pieces are joined, not parsed and printed again.
 */
export class WireBytes {
  readonly pieces: readonly WirePiece[]

  constructor(pieces: readonly WirePiece[]) {
    this.pieces = pieces
  }

  /** The value that the bytes stand for. */
  parse(): unknown {
    return JSON.parse(pieceText(this.pieces))
  }
}

/**
 * A JSON array of values in wire form. Values that lie side by side in the memory they were read into, with the comma
 * between them, are taken together: the logs of a block are, and thousands of them become a few pieces.
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

/** The bytes of all pieces, one after another. */
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

/** The text of all pieces, one after another. */
export function pieceText(pieces: readonly WirePiece[]): string {
  const [first = ''] = pieces
  return pieces.length <= 1 && typeof first === 'string' ? first : joinPieces(pieces).toString('utf8')
}

/** How many bytes the pieces are on the wire. */
export function countBytes(pieces: readonly WirePiece[]): number {
  let count = 0
  for (const piece of pieces) count += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  return count
}

/** What JSON can hold. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [name: string]: JsonValue | undefined }

/** A JSON Schema (2020-12) as an OpenRPC document embeds it. */
export type JsonSchema = { readonly [keyword: string]: JsonValue }

/** Texts of ASCII that JSON, and {@link printJson}, write as they are. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/
const unsafeInHtml = /[<>&\u2028\u2029]/
const everyUnsafeInHtml = /[<>&\u2028\u2029]/g

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * The JSON text of a value, with `<`, `>`, `&` and the two line separators of Unicode escaped.
 *
 * Go's encoder escapes them by default, and so geth's answers carry them that way (encoding/json, HTMLEscape).
 */
export function printJson(value: JsonValue): string {
  if (typeof value === 'string' && plainText.test(value)) return `"${value}"`
  const text = JSON.stringify(value)
  return unsafeInHtml.test(text) ? text.replace(everyUnsafeInHtml, escapeUnit) : text
}

/** The answer to a body: what a transport writes. */
export interface Reply {
  /** HTTP status; 200 unless the provider refuses the whole request. */
  readonly status: number
  readonly contentType: string
  /** Headers beside the media type. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Written one after another. */
  readonly pieces: readonly Uint8Array[]
  /**
   * The same bytes where they are few, as a string with one character for each (Latin-1): transports put what stands
   * before a reply in front of it and write both at once.
   */
  readonly byteText: string | undefined
  readonly byteLength: number
  /** Whether the body was no JSON, upon which a WebSocket is closed. */
  readonly malformed: boolean
}

type ReplyHead = Pick<Reply, 'status' | 'contentType' | 'headers' | 'malformed'>

/** Replies up to this many bytes have a `byteText`. */
const shortReply = 4096
/** Pieces that together stay below this many bytes are joined into one. */
const joinBelow = 65_536

/** A reply of these pieces. */
export function createReply(
  pieces: readonly WirePiece[],
  { status = 200, contentType = 'application/json', malformed = false, headers }: Partial<ReplyHead> = {},
): Reply {
  const text = joinShortText(pieces)
  const byteLength = text === undefined ? countBytes(pieces) : Buffer.byteLength(text)
  if (byteLength <= shortReply) {
    const bytes = text?.length === byteLength ? text : byteText(pieces, byteLength)
    return new ShortReply(bytes, { status, contentType, headers, malformed })
  }
  const written = byteLength < joinBelow ? [joinPieces(pieces)] : joinStrings(pieces)
  return { status, contentType, headers, pieces: written, byteText: undefined, byteLength, malformed }
}

/** A reply that is mostly written as text; its bytes are made where a transport wants them. */
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

/** The pieces as one text, which is counted in one go; undefined if there are bytes among them, or they are long. */
function joinShortText(pieces: readonly WirePiece[]): string | undefined {
  let text = ''
  for (const piece of pieces) {
    if (typeof piece !== 'string' || text.length + piece.length > shortReply) return undefined
    text += piece
  }
  return text
}

/** The bytes of all pieces as one string of a character for each. */
function byteText(pieces: readonly WirePiece[], byteLength: number): string {
  let text = ''
  for (const piece of pieces) text += typeof piece === 'string' ? piece : latin1(piece)
  // Characters beyond ASCII are more bytes than one.
  return text.length === byteLength ? text : latin1(joinPieces(pieces))
}

/** Large byte pieces stay as they are; runs of small text between them become bytes. */
export function joinStrings(pieces: readonly WirePiece[]): Uint8Array[] {
  const joined: Uint8Array[] = []
  let run: WirePiece[] = []
  for (const piece of pieces) {
    if (piece.length < joinBelow) {
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

/** The pieces of one answer; `id` is JSON text. */
export function successPieces(id: string, result: readonly WirePiece[]): WirePiece[] {
  return [`{"jsonrpc":"2.0","id":${id},"result":`, ...result, '}']
}

/** The text of one answer that is an error; `id` is JSON text. */
export function errorText(id: string, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${printJson(error.toObject())}}`
}

/** The pieces of one answer that is an error; `id` is JSON text. */
export function errorPieces(id: string, { object }: FailedOutcome): WirePiece[] {
  return [`{"jsonrpc":"2.0","id":${id},"error":`, ...object, '}']
}

/** Characters of an error's data that are a piece of their own: those of a revert may be megabytes. */
const LONG_DATA = 65_536

function errorObjectPieces(error: RpcError): WirePiece[] {
  const { data, text } = error
  if (text !== undefined) return [text]
  const isPlain = error instanceof RevertError || (typeof data === 'string' && plainText.test(data))
  if (typeof data !== 'string' || data.length < LONG_DATA || !isPlain) {
    return [printJson(error.toObject())]
  }
  // JSON.stringify takes ten times as long as a look at a text of plain characters.
  const head = printJson({ ...(error.toObject() as Record<string, JsonValue>), data: undefined })
  return [`${head.slice(0, -1)},"data":"`, data, '"}']
}

/** How a call ended: with its result in wire form, or with an error. */
export type Outcome = { result: readonly WirePiece[] } | FailedOutcome

/** An error, and its object in wire form. */
export interface FailedOutcome {
  error: RpcError
  object: readonly WirePiece[]
  /** Whether it is told without an id, of a message that is no call. */
  isOfNoCall?: boolean
}

export function failedOutcome(error: RpcError): FailedOutcome {
  return { error, object: errorObjectPieces(error) }
}

/** The wire form of a result. */
export function encodeResult(result: JsonValue | WireBytes): readonly WirePiece[] {
  return result instanceof WireBytes ? result.pieces : [printJson(result)]
}

/** Bytes of the result or of the error object. */
export function outcomeBytes(outcome: Outcome): number {
  return countBytes('result' in outcome ? outcome.result : outcome.object)
}
