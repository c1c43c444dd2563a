import { keccak_256 } from '@noble/hashes/sha3.js'
import { createKeccak } from 'hash-wasm'

/**
 * hash-wasm compiles its module asynchronously, and constants are hashed while modules load. Until it is ready,
 * @noble/hashes computes, which takes ten times as long.
 */
let digest: (bytes: Uint8Array) => Uint8Array = keccak_256

void createKeccak(256).then((hasher) => {
  digest = (bytes) => hasher.init().update(bytes).digest('binary')
})

/** The keccak-256 hash of bytes, 32 bytes in memory of its own. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return digest(bytes)
}
