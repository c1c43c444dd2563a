import { bytesToHex, hexToBytes } from '../../../encoding/hex.js'
import type { Backend } from '../../backend.js'
import { defineMethod, required } from '../../method.js'
import { hash } from '../../params/bytes.js'

/**
 * anvil_getBlobByHash: returns the blob with a versioned hash (EIP-4844) if a transaction has submitted it; otherwise
 * null.
 */
export const getBlobByHash = defineMethod(
  'anvil_getBlobByHash',
  [required('versionedHash', hash)],
  ({ backend }, versionedHash) => {
    const blob = backend.blobs.get(versionedHash)
    return blob === undefined ? null : bytesToHex(blob)
  },
)

/**
 * anvil_getBlobsByTransactionHash: returns the blobs of a mined or pending transaction in order; null if it is unknown
 * or has none.
 */
export const getBlobsByTransactionHash = defineMethod(
  'anvil_getBlobsByTransactionHash',
  [required('hash', hash)],
  ({ backend }, transactionHash) => {
    const blobs = versionedHashes(backend, transactionHash).map((own) => backend.blobs.get(own))
    if (blobs.length === 0 || blobs.includes(undefined)) return null
    return blobs.map((blob) => bytesToHex(blob ?? new Uint8Array(0)))
  },
)

function versionedHashes({ chain, mempool }: Backend, transactionHash: Uint8Array): readonly Uint8Array[] {
  const pooled = mempool.get(transactionHash)?.transaction
  const location = chain.transactionLocation(transactionHash)
  const transaction: unknown =
    location === undefined
      ? pooled
      : JSON.parse(Buffer.from(chain.wire(location.block).transaction(location.index)).toString())
  if (typeof transaction !== 'object' || transaction === null || !('blobVersionedHashes' in transaction))
    return []
  return (transaction.blobVersionedHashes as string[]).map(hexToBytes)
}
