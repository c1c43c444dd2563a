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
    return JSON.parse(joinPieces(this.pieces).toString('utf8'))
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
