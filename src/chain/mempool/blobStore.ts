import { WriteBatch } from '../../storage/writeBatch.js'
import { versionedHash } from './blobs.js'
import type { PooledPlace } from './pooledStore.js'
import type { BlobSidecar } from './transaction.js'

/**
 * The blobs of all transactions that came in, on disk by their versioned hashes (EIP-4844). No block holds them; on a
 * public network the consensus layer keeps them for some weeks, here they stay.
 */
export class BlobStore {
  readonly #place: PooledPlace

  constructor(place: PooledPlace) {
    this.#place = place
  }

  /** Keeps what travels beside a transaction. */
  put({ blobs, commitments }: BlobSidecar): void {
    const { database, keys } = this.#place
    const batch = new WriteBatch()
    for (const [index, blob] of blobs.entries()) {
      const commitment = commitments[index]
      if (commitment !== undefined) batch.putBulk(keys.blob(versionedHash(commitment)), blob)
    }
    database.write(batch)
  }

  /** A blob of 131,072 bytes by its 32-byte versioned hash. */
  get(hash: Uint8Array): Uint8Array | undefined {
    const { database, keys } = this.#place
    return database.getBulk(keys.blob(hash))
  }
}
