import { RLP } from '@ethereumjs/rlp'
import type { Keyspace } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { rawTransactions } from '../block/rawParts.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { BlobStore } from './blobStore.js'
import { encodeWithBlobs } from './encodeForPool.js'
import type { PooledPlace } from './pooledPlace.js'

/** A waiting transaction as it is kept on disk. */
export interface StoredPooled {
  /** 20 bytes. */
  sender: Uint8Array
  impersonated: boolean
  /** The EIP-2718 form that came in, with its blobs. */
  raw: Uint8Array
}

const HEAD_LENGTH = 21
/** EIP-4844: the type, and where the versioned hashes stand among the fields. */
const BLOB_TRANSACTION = 3
const VERSIONED_HASHES = 10

/** A waiting transaction as 1 byte (whether it is impersonated), 20 bytes of sender, and its EIP-2718 form. */
export function encodePooled({ sender, impersonated, raw }: StoredPooled): Uint8Array {
  const bytes = new Uint8Array(HEAD_LENGTH + raw.length)
  bytes[0] = impersonated ? 1 : 0
  bytes.set(sender, 1)
  bytes.set(raw, HEAD_LENGTH)
  return bytes
}

/** Reads what {@link encodePooled} wrote. */
export function decodePooled(bytes: Uint8Array): StoredPooled {
  return {
    impersonated: bytes[0] === 1,
    sender: bytes.slice(1, HEAD_LENGTH),
    raw: bytes.slice(HEAD_LENGTH),
  }
}

/** A waiting transaction with the 32-byte hash that it is kept under. */
export interface NamedPooled extends StoredPooled {
  hash: Uint8Array
}

/** The transactions of a stored block as they would wait, with the blobs that are known. */
export function pooledOf(
  { blocks, blobs }: { blocks: Pick<BlockStore, 'blockRlp'>; blobs: BlobStore },
  block: StoredBlock,
): NamedPooled[] {
  if (block.transactions.length === 0) return []
  const raws = rawTransactions(blocks.blockRlp(block))
  return block.transactions.flatMap((entry, index) => {
    const raw = raws[index]
    return raw === undefined ? [] : [{ ...entry, raw: withBlobs(raw, blobs) }]
  })
}

/** The form in which a transaction of a block was sent; one whose blobs are not known stays without. */
function withBlobs(raw: Uint8Array, blobs: BlobStore): Uint8Array {
  if (raw[0] !== BLOB_TRANSACTION) return raw
  const fields = RLP.decode(raw.subarray(1))
  const hashes = Array.isArray(fields) ? fields[VERSIONED_HASHES] : undefined
  if (!Array.isArray(hashes)) return raw
  const sidecar = blobs.sidecarOf(hashes as Uint8Array[])
  return sidecar === undefined ? raw : encodeWithBlobs(raw, sidecar)
}

/** Puts a waiting transaction into a batch; {@link PooledStore.note} is told of it afterwards. */
export function stagePooled(batch: WriteBatch, keys: Keyspace, { hash, ...pooled }: NamedPooled): void {
  batch.put(keys.pooled(hash), encodePooled(pooled))
}

/**
 * The transactions that were acknowledged and still wait, on disk: a restart takes them up again. Those that are mined
 * before they are acknowledged never come here.
 */
export class PooledStore {
  readonly #place: PooledPlace
  readonly #stored = new Set<string>()

  constructor(place: PooledPlace) {
    this.#place = place
  }

  /** Everything that waited when the node went down, in no particular order. */
  async load(): Promise<StoredPooled[]> {
    const found: StoredPooled[] = []
    const { length } = this.#place.keys.pooled(new Uint8Array(32))
    for await (const [key, value] of this.#place.database.iterate(this.#place.keys.allPooled())) {
      this.#stored.add(bytesToPlainHex(key.subarray(length - 32)))
      found.push(decodePooled(value))
    }
    return found
  }

  has(hash: Uint8Array): boolean {
    return this.#stored.has(bytesToPlainHex(hash))
  }

  put(pooled: NamedPooled): void {
    const batch = new WriteBatch()
    stagePooled(batch, this.#place.keys, pooled)
    this.#place.database.write(batch)
    this.note(pooled.hash)
  }

  /** Takes note of a transaction that {@link stagePooled} has put on disk. */
  note(hash: Uint8Array): void {
    this.#stored.add(bytesToPlainHex(hash))
  }

  /** Forgets the transactions that do not wait any more. */
  sweep(waits: (hash: Uint8Array) => boolean): void {
    const gone = [...this.#stored].filter((hash) => !waits(hexToBytes(hash)))
    if (gone.length === 0) return
    const batch = new WriteBatch()
    for (const hash of gone) batch.delete(this.#place.keys.pooled(hexToBytes(hash)))
    this.#place.database.write(batch)
    for (const hash of gone) this.#stored.delete(hash)
  }
}
