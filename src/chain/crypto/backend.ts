/** A recoverable ECDSA signature over secp256k1. */
export interface CompactSignature {
  /** 64 bytes: r and s, 32 bytes each, big-endian, s in the lower half of the order. */
  bytes: Uint8Array
  /** Which of the two points with this r was used. */
  yParity: 0 | 1
}

/** What does the curve arithmetic behind signatures. */
export interface SignatureBackend {
  readonly name: 'secp256k1 (native)' | 'tiny-secp256k1 (wasm)'
  /** Signs a 32-byte hash; the nonce is that of RFC 6979, so that equal input gives equal signatures. */
  sign(hash: Uint8Array, privateKey: Uint8Array): CompactSignature
  /**
   * The 65-byte uncompressed public key behind a signature of 64 bytes.
   *
   * @throws Error if r or s is out of range or the signature belongs to no key.
   */
  recover(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array
  /**
   * The 65-byte uncompressed public key of a private key.
   *
   * @throws Error if the private key is zero or not below the order of the curve.
   */
  publicKey(privateKey: Uint8Array): Uint8Array
}
