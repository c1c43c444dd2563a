import { RLP } from '@ethereumjs/rlp'
import { bytesEqual, bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import type { Steps } from '../../encoding/timeSlice.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import { rawTransactions } from '../block/rawParts.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import { keccak256 } from '../crypto.js'
import { type BlobStore, type MempoolDatabase, encodeWithSidecar } from './blobs.js'
import type { PooledTransaction } from './transaction.js'

/** A pooled transaction as stored on disk. */
export interface StoredPooled {
  /** 20 bytes. */
  sender: Uint8Array
  impersonated: boolean
  /** The network form: the EIP-2718 encoding, with the sidecar for a blob transaction. */
  raw: Uint8Array
}

const HEAD_LENGTH = 21
/** Stored transactions that {@link PooledStore.sweep} compares with the mempool in one step. */
const ROWS_AT_ONCE = 1000
/** EIP-4844: the transaction type, and the index of the versioned hashes among its fields. */
const BLOB_TRANSACTION = 3
const VERSIONED_HASHES = 10

/** Encodes a pooled transaction: 1 byte (1 if impersonated), 20 bytes of sender, then its network form. */
export function encodePooled({ sender, impersonated, raw }: StoredPooled): Uint8Array {
  const bytes = new Uint8Array(HEAD_LENGTH + raw.length)
  bytes[0] = impersonated ? 1 : 0
  bytes.set(sender, 1)
  bytes.set(raw, HEAD_LENGTH)
  return bytes
}

/** Decodes the output of {@link encodePooled}. */
export function decodePooled(bytes: Uint8Array): StoredPooled {
  return {
    impersonated: bytes[0] === 1,
    sender: bytes.slice(1, HEAD_LENGTH),
    raw: bytes.slice(HEAD_LENGTH),
  }
}

/** A pooled transaction with its 32-byte hash, the key of its row. */
export interface NamedPooled extends StoredPooled {
  hash: Uint8Array
}

/** Returns the transactions of a stored block as the pool stores them, with all known sidecars. */
export function pooledFromBlock(
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

/** Returns the network form of a block's transaction, without its sidecar if that is unknown. */
function withBlobs(raw: Uint8Array, blobs: BlobStore): Uint8Array {
  if (raw[0] !== BLOB_TRANSACTION) return raw
  const fields = RLP.decode(raw.subarray(1))
  const hashes = Array.isArray(fields) ? fields[VERSIONED_HASHES] : undefined
  if (!Array.isArray(hashes)) return raw
  const sidecar = blobs.sidecarOf(hashes as Uint8Array[])
  return sidecar === undefined ? raw : encodeWithSidecar(raw, sidecar)
}

/** Adds a pooled transaction to a batch. Call {@link PooledStore.record} once the batch is written. */
export function stagePooled(batch: WriteBatch, keys: Keyspace, { hash, ...pooled }: NamedPooled): void {
  batch.put(keys.pooled(hash), encodePooled(pooled))
}

/**
 * The acknowledged transactions of the mempool on disk, so that a restart reloads them. Transactions that are mined
 * before they are acknowledged are never stored here.
 */
export class PooledStore {
  readonly #storage: MempoolDatabase
  readonly #stored = new Set<string>()

  constructor(storage: MempoolDatabase) {
    this.#storage = storage
  }

  /** Loads all stored transactions, in no particular order. */
  async load(): Promise<StoredPooled[]> {
    const found: StoredPooled[] = []
    const { length } = this.#storage.keys.pooled(new Uint8Array(32))
    for await (const [key, value] of this.#storage.database.iterate(this.#storage.keys.allPooled())) {
      this.#stored.add(bytesToPlainHex(key.subarray(length - 32)))
      found.push(decodePooled(value))
    }
    return found
  }

  /** Whether a transaction is stored, by the 64 digits of its hash. */
  has(digits: string): boolean {
    return this.#stored.has(digits)
  }

  put(pooled: NamedPooled): void {
    const batch = new WriteBatch()
    stagePooled(batch, this.#storage.keys, pooled)
    this.#storage.database.write(batch)
    this.record(pooled.hash)
  }

  /** Records that {@link stagePooled} has put a transaction on disk. */
  record(hash: Uint8Array): void {
    this.#stored.add(bytesToPlainHex(hash))
  }

  /**
   * Prepares the operations that replace the pooled transactions, leaving out rows that stay as they are. They belong
   * in the batch that moves the head, so that a crash leaves both or neither. Call {@link recordReplacement} once it is
   * written.
   */
  *replacement({ now, then }: PooledReplacement): Steps<WriteBatch['operations']> {
    const { keys } = this.#storage
    const batch = new WriteBatch()
    const wanted = new Set<string>()
    for (const row of then) {
      const digits = bytesToPlainHex(row.hash)
      const pooled = now.get(digits)
      wanted.add(digits)
      const isKept = pooled !== undefined && this.has(digits) && sharesRow(pooled, row)
      if (!isKept) batch.put(keys.pooled(row.hash), row.bytes)
      yield
    }
    for (const [digits, { hash }] of now) {
      if (!wanted.has(digits)) batch.delete(keys.pooled(hash))
      yield
    }
    return batch.operations
  }

  /** Records that the operations of {@link replacement} have been written. */
  *recordReplacement({ now, then }: PooledReplacement): Steps<void> {
    for (const digits of now.keys()) {
      this.#stored.delete(digits)
      yield
    }
    for (const { hash } of then) {
      this.record(hash)
      yield
    }
  }

  /**
   * Deletes the stored transactions that are no longer pooled, given by the 64 digits of their hash. Up to
   * {@link ROWS_AT_ONCE} stored transactions are one step and one write.
   */
  *sweep(isPooled: (digits: string) => boolean): Steps<void> {
    const stored = [...this.#stored]
    for (let start = 0; start < stored.length; start += ROWS_AT_ONCE) {
      const gone = stored.slice(start, start + ROWS_AT_ONCE).filter((digits) => !isPooled(digits))
      if (gone.length > 0) this.#delete(gone)
      yield
    }
  }

  #delete(hashes: readonly string[]): void {
    const batch = new WriteBatch()
    for (const hash of hashes) batch.delete(this.#storage.keys.pooled(hexToBytes(hash)))
    this.#storage.database.write(batch)
    for (const hash of hashes) this.#stored.delete(hash)
  }
}

/**
 * Encodes a transaction in its network form: EIP-2718, and for a blob transaction with its sidecar [transaction,
 * version?, blobs, commitments, proofs] (EIP-4844, EIP-7594).
 */
export function encodeNetworkForm({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const raw = transaction.serialize()
  return sidecar === undefined ? raw : encodeWithSidecar(raw, sidecar)
}

/** A pooled transaction with its hash and the bytes of its row. */
export interface PooledRow {
  pooled: StoredPooled
  hash: Uint8Array
  bytes: Uint8Array
}

/** Decodes rows, and hashes their transactions. */
export function* readRows(rows: readonly Uint8Array[]): Steps<PooledRow[]> {
  const read: PooledRow[] = []
  for (const bytes of rows) {
    const pooled = decodePooled(bytes)
    read.push({ pooled, hash: networkFormHash(pooled.raw), bytes })
    yield
  }
  return read
}

/** The pooled transactions before and after a revert. */
export interface PooledReplacement {
  /** By the 64 digits of their hash. */
  now: ReadonlyMap<string, PooledTransaction>
  then: readonly PooledRow[]
}

/** Whether a transaction has the row of another with the same hash. */
function sharesRow({ sender, impersonated }: PooledTransaction, { pooled }: PooledRow): boolean {
  return impersonated === pooled.impersonated && bytesEqual(sender, pooled.sender)
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
