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
    const first = items[index]!
    let last = first
    for (index++; index < items.length && isNeighbour(last, items[index]!); index++) last = items[index]!
    if (pieces.length > 1) pieces.push(',')
    pieces.push(spanOf(first, last))
  }
  pieces.push(']')
  return new WireBytes(pieces)
}

const COMMA = 0x2c

/** Whether a value begins one comma behind the end of another one in the same memory. */
function isNeighbour(before: WirePiece, piece: WirePiece): boolean {
  if (typeof before === 'string' || typeof piece === 'string' || before.buffer !== piece.buffer) return false
  const end = before.byteOffset + before.length
  return piece.byteOffset === end + 1 && new Uint8Array(piece.buffer, end, 1)[0] === COMMA
}

function spanOf(first: WirePiece, last: WirePiece): WirePiece {
  if (first === last || typeof first === 'string' || typeof last === 'string') return first
  return new Uint8Array(first.buffer, first.byteOffset, last.byteOffset + last.length - first.byteOffset)
}

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
