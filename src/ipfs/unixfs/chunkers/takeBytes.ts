import { allocate } from '../../allocate.js'

/** Removes the first bytes from a list of pieces and returns a copy of them: the pieces are the network's. */
export function takeBytes(pieces: Uint8Array[], length: number): Uint8Array {
  const taken = allocate(length)
  let filled = 0
  let used = 0
  while (filled < length) {
    const piece = pieces[used] as Uint8Array
    const part = piece.subarray(0, length - filled)
    taken.set(part, filled)
    filled += part.length
    if (part.length < piece.length) pieces[used] = piece.subarray(part.length)
    else used++
  }
  pieces.splice(0, used)
  return taken
}
