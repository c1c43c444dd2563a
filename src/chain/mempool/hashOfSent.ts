import { RLP } from '@ethereumjs/rlp'
import { keccak256 } from '../keccak.js'

/** EIP-4844. */
const BLOB_TRANSACTION = 3

/** The 32-byte hash of a transaction by the EIP-2718 form in which it was sent: of one with blobs, that of all but these. */
export function hashOfSent(raw: Uint8Array): Uint8Array {
  if (raw[0] !== BLOB_TRANSACTION) return keccak256(raw)
  const [transaction] = RLP.decode(raw.subarray(1))
  return keccak256(
    Array.isArray(transaction) ? Buffer.concat([raw.subarray(0, 1), RLP.encode(transaction)]) : raw,
  )
}
