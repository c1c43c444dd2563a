import { RLP } from '@ethereumjs/rlp'
import { bytesToPlainHex, hexToBytes } from '../../encoding/hex.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import type { Database } from '../../storage/database.js'
import type { Keyspace } from '../../storage/keyspace.js'
import { WriteBatch } from '../../storage/writeBatch.js'
import type { ChainEvent } from '../reader.js'
import { rawTransactions } from '../block/rawParts.js'
import type { StoredBlock } from '../block/record.js'
import type { BlockStore } from '../block/store.js'
import type { Chain } from '../chain.js'
import { TransactionRejectedError } from '../errors.js'
import { keccak256 } from '../crypto.js'
import type { MiningSchedule } from '../mining/schedule.js'
import type { ForkRules } from '../types.js'
import type { BlobStore } from './blobs.js'
import { decodeTransaction } from './decode.js'
import type { Mempool } from './mempool.js'
import { type BlobSidecar, type PooledTransaction, createTransaction } from './transaction.js'

/** What transactions are submitted with. */
export interface TransactionSubmissionParts {
  chain: Chain
  schedule: MiningSchedule
  store: PooledStore
  blobs: BlobStore
}

/**
 * Takes a transaction from the sender to its receipt. The steps are calls, in this order:
 *
 * 1. `sendRaw` waits for the chain's mutex, so that no other change comes in between.
 * 2. `Mempool.add` decodes the bytes, checks them with geth's messages and recovers the sender.
 * 3. Blobs go to the blob store: no block holds them.
 * 4. `MiningSchedule.mineReady` mines under automine: `Chain.mineEachReady` drafts a block, `produceBlock` executes it
 *    in the virtual machine and seals it, and `ChainPosition.advance` commits block, receipts, log index, state and
 *    head in one atomic write. Without automine, a timer or evm_mine does the same later.
 * 5. `Chain` emits the `head` event to subscribers. The answer does not depend on it.
 * 6. A transaction that is still pooled is written to disk. Then the caller gets the hash.
 */
export class TransactionSubmission {
  readonly #parts: TransactionSubmissionParts

  constructor(parts: TransactionSubmissionParts) {
    this.#parts = parts
  }

  /**
   * Submits a signed transaction in its EIP-2718 encoding (eth_sendRawTransaction).
   *
   * @throws TransactionRejectedError if the mempool refuses it
   */
  sendRaw(raw: Uint8Array): Promise<PooledTransaction> {
    return this.#submit(() => this.#parts.chain.mempool.add(raw), raw)
  }

  /**
   * Submits a transaction whose sender is known (eth_sendTransaction). `prepare` runs under the mutex, so that the
   * nonce it fills in follows those of earlier transactions.
   *
   * @throws TransactionRejectedError if the mempool refuses it
   */
  sendPrepared(prepare: () => Promise<PooledTransaction>): Promise<PooledTransaction> {
    return this.#submit(async () => this.#parts.chain.mempool.addKnown(await prepare()))
  }

  #submit(addToPool: () => Promise<PooledTransaction>, raw?: Uint8Array): Promise<PooledTransaction> {
    const { chain, schedule, blobs } = this.#parts
    return chain.exclusively(async () => {
      const pooled = await addToPool()
      try {
        if (pooled.sidecar !== undefined) blobs.put(pooled.sidecar)
        await schedule.mineReady()
        if (chain.mempool.get(pooled.hash) !== undefined) this.#persist(pooled, raw)
      } catch (error) {
        // The caller is told that the transaction failed, so it must not be mined later.
        chain.mempool.withdraw(pooled.hash)
        throw error
      }
      return pooled
    })
  }

  /** Reloads the pooled transactions after a start. Those that have become invalid since are dropped. */
  async restore(): Promise<void> {
    const { chain, store } = this.#parts
    const stored = await store.load()
    await chain.exclusively(async () => {
      await reinject(chain.mempool, chain.nextRules(), stored)
      this.removeStale()
    })
  }

  /**
   * Brings the stored transactions in line with the mempool after the chain has moved. A new head only removes
   * transactions; a reorganisation or a rewind may bring some back.
   */
  follow(event: ChainEvent): void {
    const { type } = event
    if (type !== 'head' && type !== 'rewound' && type !== 'removed') return
    const { chain, store } = this.#parts
    if (type === 'removed') {
      for (const { transactions } of event.blocks) for (const { hash } of transactions) store.record(hash)
    }
    this.removeStale()
    if (type === 'head') return
    for (const pooled of chain.mempool.inOrderOfArrival()) if (!store.has(pooled.hash)) this.#persist(pooled)
  }

  /** Removes stored transactions that have left the mempool. */
  removeStale(): void {
    const { chain, store } = this.#parts
    store.sweep((hash) => chain.mempool.get(hash) !== undefined)
  }

  #persist(pooled: PooledTransaction, raw?: Uint8Array): void {
    const { hash, sender, impersonated } = pooled
    this.#parts.store.put({ hash, sender, impersonated, raw: raw ?? encodeNetworkForm(pooled) })
  }
}

/**
 * Adds transactions to the mempool that were accepted before: after a restart, or after a reorganisation removed their
 * block (geth: core/txpool/legacypool, reinject). Transactions that have become invalid are dropped.
 *
 * Transactions of one sender are added in the order of their nonces: with a gap before them, some would be refused.
 */
export async function reinject(
  mempool: Mempool,
  rules: ForkRules,
  transactions: readonly StoredPooled[],
): Promise<void> {
  const slice = new TimeSlice()
  for (const stored of await byNonce(transactions, slice)) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    try {
      await reinjectOne(mempool, rules, stored)
    } catch (error) {
      if (!(error instanceof TransactionRejectedError)) throw error
    }
  }
}

async function reinjectOne(
  mempool: Mempool,
  rules: ForkRules,
  { raw, sender, impersonated }: StoredPooled,
): Promise<void> {
  if (!impersonated) await mempool.add(raw)
  else {
    const transaction = createTransaction(decodeTransaction(raw), rules)
    await mempool.addKnown({ transaction, hash: transaction.hash(), sender, impersonated })
  }
}

/** Sorts the transactions of each sender by nonce; senders keep their places in the list. */
async function byNonce(transactions: readonly StoredPooled[], slice: TimeSlice): Promise<StoredPooled[]> {
  const named: { stored: StoredPooled; sender: string; nonce: bigint }[] = []
  for (const stored of transactions) {
    const pause = slice.pause()
    if (pause !== undefined) await pause
    const { nonce } = decodeTransaction(stored.raw)
    named.push({ stored, sender: bytesToPlainHex(stored.sender), nonce })
  }
  const queues = new Map<string, StoredPooled[]>(named.map(({ sender }) => [sender, []]))
  for (const { stored, sender } of named.toSorted((a, b) => Number(a.nonce - b.nonce))) {
    queues.get(sender)?.push(stored)
  }
  const next = new Map([...queues].map(([sender, queue]) => [sender, queue.values()]))
  return named.map(({ sender, stored }) => next.get(sender)?.next().value ?? stored)
}

/** Where pooled transactions are stored. The members change when the chain switches to another base. */
export interface PooledStoreParts {
  readonly database: Database
  readonly keys: Keyspace
}

/** A pooled transaction as it is stored on disk. */
export interface StoredPooled {
  /** 20 bytes. */
  sender: Uint8Array
  impersonated: boolean
  /** The network form: EIP-2718, for blob transactions with the sidecar. */
  raw: Uint8Array
}

const HEAD_LENGTH = 21
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

/** Decodes what {@link encodePooled} wrote. */
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

/** The transactions of a stored block in the form in which the pool stores them, with the sidecars that are known. */
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

/** The network form of a transaction of a block. Without a known sidecar the transaction stays as it is. */
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
  readonly #place: PooledStoreParts
  readonly #stored = new Set<string>()

  constructor(place: PooledStoreParts) {
    this.#place = place
  }

  /** Loads all stored transactions, in no particular order. */
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
    this.record(pooled.hash)
  }

  /** Records that {@link stagePooled} has put a transaction on disk. */
  record(hash: Uint8Array): void {
    this.#stored.add(bytesToPlainHex(hash))
  }

  /** Deletes the stored transactions that are no longer pooled. */
  sweep(isPooled: (hash: Uint8Array) => boolean): void {
    const gone = [...this.#stored].filter((hash) => !isPooled(hexToBytes(hash)))
    if (gone.length === 0) return
    const batch = new WriteBatch()
    for (const hash of gone) batch.delete(this.#place.keys.pooled(hexToBytes(hash)))
    this.#place.database.write(batch)
    for (const hash of gone) this.#stored.delete(hash)
  }
}

/**
 * The network form of a transaction: EIP-2718, and for a blob transaction with its sidecar as
 * [transaction, version?, blobs, commitments, proofs] (EIP-4844, EIP-7594).
 */
export function encodeNetworkForm({ transaction, sidecar }: PooledTransaction): Uint8Array {
  const raw = transaction.serialize()
  return sidecar === undefined ? raw : encodeWithSidecar(raw, sidecar)
}

/** Adds a sidecar to a blob transaction in the form that blocks hold. */
export function encodeWithSidecar(
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

/** The pooled transactions before and after a revert. */
export interface PooledReplacement {
  now: readonly Pick<PooledTransaction, 'hash'>[]
  then: readonly StoredPooled[]
}

/** Replaces the pooled transactions within the batch that moves the head, so that a crash leaves both or neither. */
export function stageReplacement(batch: WriteBatch, keys: Keyspace, { now, then }: PooledReplacement): void {
  for (const { hash } of now) batch.delete(keys.pooled(hash))
  for (const pooled of then) stagePooled(batch, keys, { ...pooled, hash: networkFormHash(pooled.raw) })
}

/** The 32-byte hash of a transaction in its network form: a blob transaction is hashed without its sidecar (EIP-4844). */
export function networkFormHash(raw: Uint8Array): Uint8Array {
  if (raw[0] !== BLOB_TRANSACTION) return keccak256(raw)
  const [transaction] = RLP.decode(raw.subarray(1))
  return keccak256(
    Array.isArray(transaction) ? Buffer.concat([raw.subarray(0, 1), RLP.encode(transaction)]) : raw,
  )
}
