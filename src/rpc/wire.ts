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

/** A JSON array of values in wire form. */
export function wireArray(items: readonly WirePiece[]): WireBytes {
  const pieces: WirePiece[] = ['[']
  items.forEach((item, index) => {
    if (index > 0) pieces.push(',')
    pieces.push(item)
  })
  pieces.push(']')
  return new WireBytes(pieces)
}

/** The bytes of all pieces, one after another. */
export function joinPieces(pieces: readonly WirePiece[]): Buffer {
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

/** How many bytes the pieces are on the wire. */
export function countBytes(pieces: readonly WirePiece[]): number {
  let count = 0
  for (const piece of pieces) count += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length
  return count
}
