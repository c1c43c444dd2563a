import { RLP } from '@ethereumjs/rlp'
import type { BlobSidecar, PooledTransaction } from './transaction.js'

/**
 * The EIP-2718 form in which a transaction was sent: that of a blob transaction has its blobs with it, as
 * [transaction, version?, blobs, commitments, proofs] (EIP-4844, EIP-7594).
 */
export function encodeForPool({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const raw = transaction.serialize()
  return sidecar === undefined ? raw : encodeWithBlobs(raw, sidecar)
}

/** A blob transaction as blocks hold it, with its blobs: the form in which it is sent. */
export function encodeWithBlobs(
  raw: Uint8Array,
  { version, blobs, commitments, proofs }: BlobSidecar,
): Uint8Array {
  const encoded = RLP.encode([
    RLP.decode(raw.subarray(1)),
    ...(version === 0 ? [] : [Uint8Array.of(version)]),
    [...blobs],
    [...commitments],
    [...proofs],
  ])
  const typed = new Uint8Array(encoded.length + 1)
  typed.set(raw.subarray(0, 1))
  typed.set(encoded, 1)
  return typed
}
