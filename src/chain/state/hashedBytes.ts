/** Bytes under the 32-byte hash that names them. */
export interface HashedBytes {
  hash: Uint8Array
  bytes: Uint8Array
}
