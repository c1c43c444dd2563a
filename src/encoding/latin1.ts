/** What `Buffer.prototype.toString('latin1')` comes down to; it takes any Uint8Array. */
const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string
}

/**
 * Bytes as a string of one Latin-1 character each: a key that maps can look up.
 *
 * A block's trie nodes and rows take hundreds of these, and making a Buffer around the bytes first would cost three
 * times as much as the conversion.
 */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return latin1Slice.call(bytes, start, end)
}
