import type { WirePiece } from '../wire.js'

/** A JSON array of values that consist of pieces. */
export function arrayPieces(values: readonly (readonly WirePiece[])[]): WirePiece[] {
  const pieces: WirePiece[] = []
  for (const value of values) pieces.push(pieces.length === 0 ? '[' : ',', ...value)
  return pieces.length === 0 ? ['[]'] : [...pieces, ']']
}
