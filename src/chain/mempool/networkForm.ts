import { RLP } from '@ethereumjs/rlp'
import { keccak256 } from '../crypto.js'
import { EncodedItem, encodeRlp } from '../rlp.js'
import type { BlobSidecar, PooledTransaction } from './transaction.js'

/** EIP-4844: the transaction type. */
export const BLOB_TRANSACTION = 3

/**
 * Encodes a transaction in its network form: EIP-2718, and for a blob transaction with its sidecar [transaction,
 * version?, blobs, commitments, proofs] (EIP-4844, EIP-7594).
 */
export function encodeNetworkForm({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const raw = transaction.serialize()
  return sidecar === undefined ? raw : encodeWithSidecar(raw, sidecar)
}

/**
 * Encodes a blob transaction with its sidecar, as it is sent (EIP-4844, EIP-7594).
 *
 * @param raw - the transaction alone
 */
export function encodeWithSidecar(
  raw: Uint8Array,
  { version, blobs, commitments, proofs }: BlobSidecar,
): Uint8Array {
  const versionItem = version === 0 ? [] : [Uint8Array.of(version)]
  const network = encodeRlp([new EncodedItem(raw.subarray(1)), ...versionItem, blobs, commitments, proofs], 1)
  network[0] = raw[0] ?? 0
  return network
}

/**
 * Returns the 32-byte hash of a transaction in network form: a blob transaction is hashed without its sidecar
 * (EIP-4844).
 */
export function networkFormHash(raw: Uint8Array): Uint8Array {
  if (raw[0] !== BLOB_TRANSACTION) return keccak256(raw)
  const [transaction] = RLP.decode(raw.subarray(1))
  return keccak256(
    Array.isArray(transaction) ? Buffer.concat([raw.subarray(0, 1), RLP.encode(transaction)]) : raw,
  )
}
