import { RLP } from '@ethereumjs/rlp'
import type { PooledTransaction } from './transaction.js'

/**
 * The EIP-2718 form in which a transaction was sent: that of a blob transaction has its blobs with it, as
 * [transaction, version?, blobs, commitments, proofs] (EIP-4844, EIP-7594).
 */
export function encodeForPool({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const raw = transaction.serialize()
  if (sidecar === undefined) return raw
  const { version, blobs, commitments, proofs } = sidecar
  const encoded = RLP.encode([
    RLP.decode(raw.subarray(1)),
    ...(version === 0 ? [] : [Uint8Array.of(version)]),
    [...blobs],
    [...commitments],
    [...proofs],
  ])
  const typed = new Uint8Array(encoded.length + 1)
  typed[0] = transaction.type
  typed.set(encoded, 1)
  return typed
}
