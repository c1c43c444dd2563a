import { RLP } from '@ethereumjs/rlp'
import { bytesToPlainHex, hexToBytes, plainBytes, smallBigintAt } from '../../encoding/hex.js'
import { sortInSteps } from '../../encoding/sorting.js'
import { type Steps, TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import type { PooledArea } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/database.js'
import { rawTransactions } from '../block/rawParts.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { BlobStore, MempoolDatabase } from './blobs.js'
import { BLOB_TRANSACTION, encodeWithSidecar, networkFormHash } from './networkForm.js'

/** A pooled transaction as stored on disk. */
export interface StoredPooled {
  /** 20 bytes. */
  sender: Uint8Array
  impersonated: boolean
  /** Place in the order of arrival, a whole number below 2^48. */
  order: number
  /** The network form: the EIP-2718 encoding, with the sidecar for a blob transaction. */
  raw: Uint8Array
}

const HEAD_LENGTH = 21
const ORDER_LENGTH = 6
const IMPERSONATED = 1
/** Flag of a row with an order; rows from before there was one lack it. */
const ORDERED = 2
const HASH_LENGTH = 32
/** Stored transactions that one step compares with the mempool, writes or deletes, and the bytes that it writes. */
const ROWS_AT_ONCE = 1000
const BYTES_AT_ONCE = 1024 * 1024
/** EIP-4844: the index of the versioned hashes among the fields of a transaction. */
const VERSIONED_HASHES = 10

/**
 * Encodes a pooled transaction: 1 byte of flags, 20 bytes of sender, 6 bytes of order (big-endian), then its network
 * form.
 */
export function encodePooled({ sender, impersonated, order, raw }: StoredPooled): Uint8Array {
  const bytes = Buffer.alloc(HEAD_LENGTH + ORDER_LENGTH + raw.length)
  bytes[0] = ORDERED | (impersonated ? IMPERSONATED : 0)
  bytes.set(sender, 1)
  bytes.writeUIntBE(order, HEAD_LENGTH, ORDER_LENGTH)
  bytes.set(raw, HEAD_LENGTH + ORDER_LENGTH)
  return plainBytes(bytes)
}

/** Decodes the output of {@link encodePooled}. */
function decodePooled(bytes: Uint8Array): StoredPooled {
  const [flags = 0] = bytes
  const isOrdered = (flags & ORDERED) !== 0
  return {
    impersonated: (flags & IMPERSONATED) !== 0,
    sender: bytes.slice(1, HEAD_LENGTH),
    order: isOrdered ? Number(smallBigintAt(bytes, HEAD_LENGTH, ORDER_LENGTH)) : 0,
    raw: bytes.slice(isOrdered ? HEAD_LENGTH + ORDER_LENGTH : HEAD_LENGTH),
  }
}

/** Transactions that {@link PooledStore.prepare} has written. */
export interface PreparedPool {
  operations: WriteBatch['operations']
  /** 64 digits each. */
  hashes: Set<string>
}

/** The transactions of a mempool by the 64 digits of their hash, and a number that rises with every change. */
export interface PoolContent {
  readonly byHash: ReadonlyMap<string, unknown>
  readonly version: number
}

/** A pooled transaction with its 32-byte hash, the key of its row. */
export interface NamedPooled extends StoredPooled {
  hash: Uint8Array
}

/**
 * Yields the transactions of a stored block as the pool stores them, with all known sidecars. They come before those
 * that wait.
 */
export function* pooledFromBlock(
  { blocks, blobs }: { blocks: Pick<BlockStore, 'blockRlp'>; blobs: BlobStore },
  block: StoredBlock,
): Iterable<NamedPooled> {
  if (block.transactions.length === 0) return
  const raws = rawTransactions(blocks.blockRlp(block))
  for (const { hash, sender, impersonated } of block.transactions) {
    const raw = raws.next().value
    if (raw === undefined) return
    yield {
      // In their own memory: views in the pool would keep the whole block there.
      hash: hash.slice(),
      sender: sender.slice(),
      raw: withBlobs(raw.slice(), blobs),
      impersonated,
      order: 0,
    }
  }
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

/** Setting that names the area of the pooled transactions: one byte; area 0 without it. */
const AREA_SETTING = 'pooled-area'

function currentArea({ database, keys }: MempoolDatabase): PooledArea {
  return database.get(keys.setting(AREA_SETTING))?.[0] === 1 ? 1 : 0
}

/** Adds a pooled transaction to a batch. Call {@link PooledStore.record} once the batch is written. */
export function stagePooled(
  batch: WriteBatch,
  storage: MempoolDatabase,
  { hash, ...pooled }: NamedPooled,
): void {
  batch.put(storage.keys.pooled(currentArea(storage), hash), encodePooled(pooled))
}

/**
 * The acknowledged transactions of the mempool on disk, so that a restart reloads them. Transactions that are mined
 * before they are acknowledged are never stored here.
 *
 * They lie in one of two areas; the other is empty. A revert writes the transactions of the snapshot there, one after
 * another, and changes areas in the write that moves the head: a crash leaves the old transactions or the new ones.
 */
export class PooledStore {
  readonly #storage: MempoolDatabase
  #stored = new Set<string>()
  /** Order of the next transaction. */
  #next = 1
  /** Version of the mempool whose transactions were adopted. */
  #adopted: number | undefined

  constructor(storage: MempoolDatabase) {
    this.#storage = storage
  }

  /** Loads all stored transactions in order of arrival. */
  async load(): Promise<StoredPooled[]> {
    const { database, keys } = this.#storage
    const area = currentArea(this.#storage)
    await this.#clear(otherThan(area))
    const found: StoredPooled[] = []
    for await (const [key, value] of database.iterate(keys.allPooled(area))) {
      this.#stored.add(bytesToPlainHex(key.subarray(-HASH_LENGTH)))
      found.push(decodePooled(value))
    }
    const inOrder = await runInSlices(
      sortInSteps(found, (a, b) => a.order - b.order),
      new TimeSlice(),
    )
    this.#next = (inOrder.at(-1)?.order ?? 0) + 1
    return inOrder
  }

  /** Whether a transaction is stored, by the 64 digits of its hash. */
  has(digits: string): boolean {
    return this.#stored.has(digits)
  }

  /** Stores a transaction after all others. */
  put(pooled: Omit<NamedPooled, 'order'>): void {
    const batch = new WriteBatch()
    stagePooled(batch, this.#storage, { ...pooled, order: this.#next++ })
    this.#storage.database.write(batch)
    this.record(pooled.hash)
  }

  /** Records that {@link stagePooled} has put a transaction on disk. */
  record(hash: Uint8Array): void {
    this.#stored.add(bytesToPlainHex(hash))
  }

  /**
   * Writes transactions beside those that are pooled now, in their order.
   *
   * @param rows - as {@link encodePooled} made them
   * @returns the operation that makes them the pooled ones, for the batch that moves the head, and the digits of their
   *   hashes. Call {@link adopt} once the operation is written.
   */
  async prepare(rows: Iterable<Uint8Array>): Promise<PreparedPool> {
    const { database, keys } = this.#storage
    const area = otherThan(currentArea(this.#storage))
    // A revert that failed may have left some.
    await this.#clear(area)
    const slice = new TimeSlice()
    const hashes = new Set<string>()
    let batch = new WriteBatch()
    let length = 0
    for (const row of rows) {
      const pooled = decodePooled(row)
      const hash = networkFormHash(pooled.raw)
      batch.put(keys.pooled(area, hash), encodePooled({ ...pooled, order: hashes.size }))
      hashes.add(bytesToPlainHex(hash))
      length += row.length
      if (batch.operations.length >= ROWS_AT_ONCE || length >= BYTES_AT_ONCE) {
        database.write(batch)
        batch = new WriteBatch()
        length = 0
      }
      const pause = slice.pause()
      if (pause !== undefined) await pause
    }
    if (batch.operations.length > 0) database.write(batch)
    const { operations } = new WriteBatch().put(keys.setting(AREA_SETTING), Uint8Array.of(area))
    return { operations, hashes }
  }

  /**
   * Records that the operation of {@link prepare} has been written, and deletes the previous transactions, as well as
   * the new ones that the mempool has not taken.
   */
  async adopt({ hashes }: PreparedPool, pool: PoolContent): Promise<void> {
    this.#stored = hashes
    this.#next = Math.max(this.#next, hashes.size + 1)
    await runInSlices(
      this.sweep((digits) => pool.byHash.has(digits)),
      new TimeSlice(),
    )
    this.#adopted = pool.version
    await this.#clear(otherThan(currentArea(this.#storage)))
  }

  /** Whether the mempool has not changed since its transactions were adopted, so that all of them are stored. */
  isCurrent({ version }: PoolContent): boolean {
    return version === this.#adopted
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
    const { database, keys } = this.#storage
    const area = currentArea(this.#storage)
    const batch = new WriteBatch()
    for (const hash of hashes) batch.delete(keys.pooled(area, hexToBytes(hash)))
    database.write(batch)
    for (const hash of hashes) this.#stored.delete(hash)
  }

  /** Deletes all transactions of an area. */
  async #clear(area: PooledArea): Promise<void> {
    const { database, keys } = this.#storage
    const slice = new TimeSlice()
    let batch = new WriteBatch()
    for await (const [key] of database.iterate(keys.allPooled(area))) {
      batch.delete(key)
      if (batch.operations.length < ROWS_AT_ONCE) continue
      database.write(batch)
      batch = new WriteBatch()
      await slice.pause()
    }
    if (batch.operations.length > 0) database.write(batch)
  }
}

function otherThan(area: PooledArea): PooledArea {
  return area === 0 ? 1 : 0
}

/** Decodes rows, in their order. */
export function* readPooled(rows: Iterable<Uint8Array>): Steps<StoredPooled[]> {
  const read: StoredPooled[] = []
  for (const row of rows) {
    read.push(decodePooled(row))
    yield
  }
  return read
}
