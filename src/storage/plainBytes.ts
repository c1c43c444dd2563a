/**
 * The same bytes as a plain Uint8Array. LevelDB and Node's file functions give Buffers, whose `slice` shares memory
 * where that of a Uint8Array copies: who keeps or changes a copy must get one.
 */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
