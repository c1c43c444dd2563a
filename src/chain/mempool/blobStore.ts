import { RLP } from '@ethereumjs/rlp'
import { WriteBatch } from '../../storage/writeBatch.js'
import { versionedHash } from './blobs.js'
import type { PooledStoreParts } from './pooledStore.js'
import type { BlobSidecar } from './transaction.js'

/** EIP-4844: bytes of a blob. */
const BLOB_LENGTH = 131_072

/**
 * The blobs of all transactions that came in, on disk by their versioned hashes (EIP-4844), each with what proves it.
 * No block holds them; on a public network the consensus layer keeps them for some weeks, here they stay.
 */
export class BlobStore {
  readonly #place: PooledStoreParts

  constructor(place: PooledStoreParts) {
    this.#place = place
  }

  /** Keeps what travels beside a transaction. */
  put({ version, blobs, commitments, proofs }: BlobSidecar): void {
    const { database, keys } = this.#place
    const batch = new WriteBatch()
    const proofsOfBlob = proofs.length / blobs.length
    for (const [index, blob] of blobs.entries()) {
      const commitment = commitments[index]
      if (commitment === undefined) continue
      const own = proofs.slice(index * proofsOfBlob, (index + 1) * proofsOfBlob)
      const proof = RLP.encode([Uint8Array.of(version), commitment, own])
      batch.putBulk(keys.blob(versionedHash(commitment)), Buffer.concat([blob, proof]))
    }
    database.write(batch)
  }

  /** A blob of 131,072 bytes by its 32-byte versioned hash. */
  get(hash: Uint8Array): Uint8Array | undefined {
    return this.#stored(hash)?.subarray(0, BLOB_LENGTH)
  }

  /** What travelled beside a transaction with these 32-byte versioned hashes, if all of it is known. */
  sidecarOf(hashes: readonly Uint8Array[]): BlobSidecar | undefined {
    const parts = hashes.map((hash) => this.#partOf(hash))
    const known = parts.filter((part) => part !== undefined)
    const [first] = known
    if (first === undefined || known.length < parts.length) return undefined
    if (known.some(({ version }) => version !== first.version)) return undefined
    return {
      version: first.version,
      blobs: known.map(({ blob }) => blob),
      commitments: known.map(({ commitment }) => commitment),
      proofs: known.flatMap(({ proofs }) => proofs),
    }
  }

  #stored(hash: Uint8Array): Uint8Array | undefined {
    const { database, keys } = this.#place
    return database.getBulk(keys.blob(hash))
  }

  /** A blob with its proofs; undefined where the blob is unknown, or was kept without them. */
  #partOf(
    hash: Uint8Array,
  ): { blob: Uint8Array; version: 0 | 1; commitment: Uint8Array; proofs: Uint8Array[] } | undefined {
    const stored = this.#stored(hash)
    if (stored === undefined || stored.length === BLOB_LENGTH) return undefined
    const [version, commitment, proofs] = RLP.decode(stored.subarray(BLOB_LENGTH)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array[],
    ]
    return {
      blob: stored.subarray(0, BLOB_LENGTH),
      version: version[0] === 1 ? 1 : 0,
      commitment,
      proofs,
    }
  }
}
