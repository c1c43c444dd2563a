import type { WirePiece } from '../wire.js'

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
