/** Up to this size memory comes from Node's shared pool, which is much cheaper than memory of one's own. */
const pooledLimit = 4096

/**
 * Memory for a block on its way to the store, not zeroed. Large blocks get memory of their own, so that
 * it can be given back; small ones share, which is harmless as long as nobody keeps them for long.
 */
export function allocate(length: number): Uint8Array {
  const bytes = length <= pooledLimit ? Buffer.allocUnsafe(length) : Buffer.allocUnsafeSlow(length)
  return new Uint8Array(bytes.buffer, bytes.byteOffset, length)
}
