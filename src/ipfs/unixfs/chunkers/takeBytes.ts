/**
 * Removes the first bytes from a list of pieces and returns them in memory of their own: not of Node's
 * shared pool, which every slice that is kept would hold, and not of the network's buffers.
 */
export function takeBytes(pieces: Uint8Array[], length: number): Uint8Array {
  const taken = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
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
