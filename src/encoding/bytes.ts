declare global {
  /** What `toString` and `write` come down to; missing in Node's types. They take any Uint8Array. */
  interface Buffer {
    latin1Slice(this: Uint8Array, start: number, end: number): string
    hexSlice(this: Uint8Array, start: number, end: number): string
    hexWrite(this: Uint8Array, digits: string, start: number, length: number): number
  }
}

/*
 * `toString` and `write` want a Buffer made around the bytes first. That takes longer than the conversion, and asking a
 * short array for its `buffer` moves its bytes from V8's heap to memory of their own. A block takes hundreds of these.
 */
const { latin1Slice, hexSlice, hexWrite } = Buffer.prototype

/** Bytes as a string of Latin-1 characters, usable as the key of a Map. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return latin1Slice.call(bytes, start, end)
}

/** Bytes as lower-case hexadecimal digits without a prefix. */
export function hexDigits(bytes: Uint8Array): string {
  return hexSlice.call(bytes, 0, bytes.length)
}

/** Decodes hexadecimal digits without a prefix into the beginning of an array. */
export function writeHexDigits(digits: string, into: Uint8Array): void {
  hexWrite.call(into, digits, 0, into.length)
}

/** Concatenates byte arrays into a new one. */
export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
