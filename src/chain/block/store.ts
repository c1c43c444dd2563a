import { crc32 } from 'node:zlib'
import type { Steps } from '../../encoding/timeSlice.js'
import type { Database, WriteBatch } from '../../storage/database.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'
import { decodeBulkRow, encodeBulkRow } from '../../storage/records.js'
import { type SingleBlock, SingleBlockTable } from '../logs/postings.js'
import { bytesKey } from '../state/account.js'
import {
  type IndexRecord,
  type LogCriterion,
  type LogRow,
  TransactionFilter,
  type TransactionPlace,
  decodeTransactionRow,
  encodeIndexRecord,
  encodeTransactionRow,
  logKey,
  logRows,
  regionLength,
} from './indexRecord.js'
import type { BlockEncoder, BlockWire, SealedBlock, StoredBlock, TransactionLocation } from './record.js'
import { BlockRegions, encodeRegion } from './regions.js'
import { RemovedBlocks } from './removedBlocks.js'

/** Rows of the log index that are put into a batch at once. */
const ROWS_AT_ONCE = 512

/** What a store of blocks works with. */
export interface BlockStoreOptions {
  database: Database
  keys: Keyspace
  encoder: BlockEncoder
}

/** A block that was put into a batch. */
export interface StagedBlock {
  record: IndexRecord
  /** What it brings; undefined of one that was stored before. */
  news: { wire: Uint8Array; logRows: readonly LogRow[] } | undefined
}

/**
 * The stored blocks of one chain: rows in the key-value store, bulk and index records in the record file. Blocks are only
 * added; which of them are canonical is told by the rows number -> ordinal.
 */
export class BlockStore {
  readonly #database: Database
  readonly #keys: Keyspace
  readonly #encoder: BlockEncoder
  readonly #recent = new RecentRecords()
  readonly #regions: BlockRegions
  /** The transactions of all blocks that are stored, where all of them were stored by this process. */
  #transactions: TransactionFilter | undefined = new TransactionFilter()
  /** The blocks that may have transactions: all that another process stored, until one is read and has none. */
  readonly #withTransactions = new OrdinalSet()
  /** The rows of the log index, where all of them were stored by this process. */
  #singleBlocks: SingleBlockTable | undefined = new SingleBlockTable()
  #nextOrdinal = 0
  readonly #removed: RemovedBlocks
  /** Whether there may be rows of edited roots: chains that no control edits are not asked for them. */
  #hasEditedRoots = false
  /** Of the newest canonical block; none is before a head is known. */
  #end = -1n

  private constructor({ database, keys, encoder }: BlockStoreOptions, removed: RemovedBlocks) {
    this.#removed = removed
    this.#database = database
    this.#keys = keys
    this.#encoder = encoder
    this.#regions = new BlockRegions(database)
  }

  /** How many topics a log has, by its wire bytes. */
  topicCount(log: Uint8Array): number {
    return this.#encoder.topicCount(log)
  }

  static async open(options: BlockStoreOptions): Promise<BlockStore> {
    const store = new BlockStore(options, await RemovedBlocks.open(options.database, options.keys))
    for await (const [key] of options.database.iterate({
      ...options.keys.blocks(),
      reverse: true,
      limit: 1,
    })) {
      store.#nextOrdinal = ordinalOfKey(key) + 1
      store.#withTransactions.addBelow(store.#nextOrdinal)
      store.#transactions = undefined
      store.#singleBlocks = undefined
    }
    for await (const _ of options.database.iterate({ ...options.keys.editedRoots(), limit: 1 })) {
      store.#hasEditedRoots = true
    }
    return store
  }

  /**
   * Puts a sealed block into a batch, with which it becomes part of the store. One that is stored already, on another
   * branch, keeps its ordinal: a second one could be greater than those of the blocks that stand on it, and ordinals have
   * to rise along every branch. Of a removed block nothing is left that stands on it.
   *
   * @returns what {@link added} is told once the batch is written
   */
  *stage(batch: WriteBatch, sealed: SealedBlock): Steps<StagedBlock> {
    const parent = this.#recent.ordinal(sealed.header.parentHash)
    // Blocks are stored after their parents: a child of the last one cannot be stored yet.
    const isNew = parent !== undefined && parent === this.#nextOrdinal - 1
    const stored = isNew ? undefined : this.#storedOrdinal(this.#keys.ordinalByHash(sealed.hash))
    const known = stored === undefined || this.#removed.has(stored) ? undefined : this.#record(stored)
    if (known !== undefined) return { record: known, news: undefined }
    const ordinal = this.#nextOrdinal
    const keys = this.#keys
    const { record, pieces, wire } = yield* encodeRegion(sealed, ordinal, this.#encoder)
    const index = encodeIndexRecord(record, sealed.encoded?.header)
    batch.putRecord({
      pieces: [...pieces, index],
      rows: (position) => {
        record.region.position = position
        const place = position + regionLength(record.region)
        const row = encodeBulkRow({ position: place, length: index.length, checksum: crc32(index) })
        return [{ key: keys.block(ordinal), value: row }]
      },
    })
    yield
    batch.put(keys.ordinalByHash(sealed.hash), encodeOrdinal(ordinal))
    this.#stageEditedRoot(batch, sealed)
    sealed.transactions.forEach(({ hash }, index) => {
      const places = this.#placesOf(hash)
      places.push({ ordinal, index })
      batch.put(keys.transaction(hash), encodeTransactionRow(places))
    })
    yield
    const rows = yield* logRows(sealed.transactions.flatMap(({ receipt }) => receipt.logs))
    for (const [index, { criterion, posting }] of rows.entries()) {
      batch.put(logKey(keys, criterion, ordinal), posting)
      if (index % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield
    }
    return { record, news: { wire, logRows: rows } }
  }

  /** Keeps the root that a block stands on with its parent, where controls have left that another one than its header's. */
  #stageEditedRoot(batch: WriteBatch, { header: { parentHash }, parentStateRoot }: SealedBlock): void {
    if (parentStateRoot === undefined && !this.#hasEditedRoots) return
    const parent =
      this.#recent.ordinal(parentHash) ?? this.#storedOrdinal(this.#keys.ordinalByHash(parentHash))
    if (parent === undefined) return
    if (parentStateRoot === undefined) batch.delete(this.#keys.editedRoot(parent))
    else {
      batch.put(this.#keys.editedRoot(parent), parentStateRoot)
      this.#hasEditedRoots = true
    }
  }

  /** The root of the state that controls have left a block with, where another block stands on that: 32 bytes. */
  editedRoot({ ordinal }: StoredBlock): Uint8Array | undefined {
    return this.#hasEditedRoots ? this.#database.get(this.#keys.editedRoot(ordinal)) : undefined
  }

  /** Takes note that a staged block is stored. */
  added({ record, news }: StagedBlock): StoredBlock {
    const { block } = record
    this.#nextOrdinal = Math.max(this.#nextOrdinal, block.ordinal + 1)
    this.#recent.add(record)
    for (const { hash } of block.transactions) this.#transactions?.add(hash)
    if (block.transactions.length > 0) this.#withTransactions.add(block.ordinal)
    if (news === undefined) return block
    for (const { criterion } of news.logRows) this.#singleBlocks?.add(criterion, block.ordinal)
    this.#regions.keep(record, news.wire)
    return block
  }

  /**
   * The ordinal next to another one, which counts too, of a block that may have transactions. It is no more than a hint of
   * blocks that were stored by another process; those of this one have some.
   */
  nearestWithTransactions(ordinal: number, side: 'above' | 'below'): number | undefined {
    const ordinals = this.#withTransactions
    return side === 'above' ? ordinals.atOrAbove(ordinal) : ordinals.atOrBelow(ordinal)
  }

  byOrdinal(ordinal: number): StoredBlock | undefined {
    return this.#record(ordinal)?.block
  }

  /** A block by its 32-byte hash, on whichever branch; none that was removed. */
  byHash(hash: Uint8Array): StoredBlock | undefined {
    const ordinal = this.#recent.ordinal(hash) ?? this.#storedOrdinal(this.#keys.ordinalByHash(hash))
    return ordinal === undefined || this.#removed.has(ordinal) ? undefined : this.byOrdinal(ordinal)
  }

  /** The ordinal of the next block that is stored. */
  get nextOrdinal(): number {
    return this.#nextOrdinal
  }

  /**
   * Puts the removal of all blocks from an ordinal on into a batch; they are not found by their hashes any more.
   *
   * @param to - the ordinal of the first one that stays; all go that are stored unless given
   * @returns makes it count, once the batch is written
   */
  stageRemoval(
    batch: WriteBatch,
    { from, to = this.#nextOrdinal }: { from: number; to?: number },
  ): () => void {
    return this.#removed.stage(batch, { from, to })
  }

  /** Takes note of the head of the chain: rows of greater numbers are what a way back has left, and count for nothing. */
  endAt(head: StoredBlock): void {
    this.#end = head.header.number
  }

  canonicalOrdinal(number: bigint): number | undefined {
    if (number > this.#end) return undefined
    return this.#storedOrdinal(this.#keys.ordinalByNumber(number))
  }

  isCanonical(block: StoredBlock): boolean {
    return this.canonicalOrdinal(block.header.number) === block.ordinal
  }

  /** Where a transaction is on the canonical chain. */
  transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    for (const { ordinal, index } of this.#placesOf(hash).reverse()) {
      const block = this.byOrdinal(ordinal)
      if (block !== undefined && this.isCanonical(block)) return { block, index }
    }
    return undefined
  }

  #placesOf(hash: Uint8Array): TransactionPlace[] {
    if (this.#transactions?.mayHold(hash) === false) return []
    const row = this.#database.get(this.#keys.transaction(hash))
    return row === undefined ? [] : decodeTransactionRow(row)
  }

  /** The wire bytes of a block. */
  wire(block: StoredBlock): BlockWire {
    return this.#regions.wire(this.#recordOf(block))
  }

  /** See {@link SingleBlockTable.find}. */
  singleBlock(criterion: LogCriterion): SingleBlock {
    return this.#singleBlocks?.find(criterion)
  }

  /** The wire bytes of logs of a block by their rising indices; undefined stands for all of them. */
  logsWire(block: StoredBlock, indices: readonly number[] | undefined): Uint8Array[] {
    return this.#regions.logs(this.#recordOf(block), indices)
  }

  /** The RLP of a whole block. */
  blockRlp(block: StoredBlock): Uint8Array {
    return this.#regions.blockRlp(this.#recordOf(block))
  }

  /** The consensus forms of a block's receipts. */
  receiptsRlp(block: StoredBlock): Uint8Array[] {
    return this.#regions.receiptsRlp(this.#recordOf(block))
  }

  #recordOf(block: StoredBlock): IndexRecord {
    const record = this.#record(block.ordinal)
    if (record === undefined) throw new Error(`block of ordinal ${block.ordinal} is not stored`)
    return record
  }

  #record(ordinal: number): IndexRecord | undefined {
    const recent = this.#recent.get(ordinal)
    if (recent !== undefined) return recent
    const row = this.#database.get(this.#keys.block(ordinal))
    if (row === undefined) return undefined
    const record = this.#regions.indexRecord(ordinal, decodeBulkRow(row))
    if (record.block.transactions.length === 0) this.#withTransactions.delete(ordinal)
    this.#recent.keep(record)
    return record
  }

  #storedOrdinal(key: Uint8Array): number | undefined {
    const value = this.#database.get(key)
    return value === undefined ? undefined : decodeOrdinal(value)
  }
}

/** What the records that are kept may take together. */
const CAPACITY_BYTES = 8 * 1024 * 1024
/** About what a decoded record takes: most of it are the headers of many small arrays. */
const BLOCK_BYTES = 4000
const TRANSACTION_BYTES = 450

/** Records that were used at about the same time. */
class Generation {
  readonly records = new Map<number, IndexRecord>()
  readonly ordinals = new Map<string, number>()
}

/**
 * The index records that were used last, so that hot blocks are not decoded again.
 *
 * Two generations stand in for an exact order of use: when the young one has half of the room, it becomes the old one,
 * and what was not read since then is gone.
 */
export class RecentRecords {
  #young = new Generation()
  #old = new Generation()
  #youngBytes = 0

  get(ordinal: number): IndexRecord | undefined {
    const found = this.#young.records.get(ordinal)
    if (found !== undefined) return found
    const aged = this.#old.records.get(ordinal)
    if (aged !== undefined) this.keep(aged)
    return aged
  }

  /** The ordinal of a block that was added lately, by its 32-byte hash. */
  ordinal(hash: Uint8Array): number | undefined {
    const key = bytesKey(hash)
    return this.#young.ordinals.get(key) ?? this.#old.ordinals.get(key)
  }

  /** Keeps the record of a block that was stored just now. */
  add(record: IndexRecord): void {
    const { ordinal, hash } = record.block
    this.#young.ordinals.set(bytesKey(hash), ordinal)
    this.keep(record)
  }

  /** Keeps a record that was read. */
  keep(record: IndexRecord): void {
    const { ordinal, transactions } = record.block
    if (this.#young.records.has(ordinal)) return
    this.#young.records.set(ordinal, record)
    this.#youngBytes += BLOCK_BYTES + TRANSACTION_BYTES * transactions.length
    if (this.#youngBytes < CAPACITY_BYTES / 2) return
    this.#old = this.#young
    this.#young = new Generation()
    this.#youngBytes = 0
  }
}

const WORD_BITS = 32

/** Which blocks have something, by their ordinals: a bit for each block that was ever stored. */
export class OrdinalSet {
  #words = new Uint32Array(64)

  add(ordinal: number): void {
    const word = wordOf(ordinal)
    this.#makeRoom(word + 1)
    this.#words[word]! |= bitOf(ordinal)
  }

  delete(ordinal: number): void {
    const word = wordOf(ordinal)
    if (word < this.#words.length) this.#words[word]! &= ~bitOf(ordinal)
  }

  /** Adds every ordinal below this one. */
  addBelow(ordinal: number): void {
    const word = wordOf(ordinal)
    this.#makeRoom(word + 1)
    this.#words.fill(0xffff_ffff, 0, word)
    this.#words[word]! |= bitOf(ordinal) - 1
  }

  /** The least member that is not below an ordinal. */
  atOrAbove(ordinal: number): number | undefined {
    const words = this.#words
    const first = wordOf(ordinal)
    for (let word = first; word < words.length; word++) {
      const above = word === first ? -bitOf(ordinal) : -1
      const bits = words[word]! & above
      if (bits !== 0) return WORD_BITS * word + WORD_BITS - 1 - Math.clz32(bits & -bits)
    }
    return undefined
  }

  /** The greatest member that is not above an ordinal. */
  atOrBelow(ordinal: number): number | undefined {
    const words = this.#words
    const first = Math.min(wordOf(ordinal), words.length - 1)
    for (let word = first; word >= 0; word--) {
      const upTo = word === wordOf(ordinal) ? bitOf(ordinal) | (bitOf(ordinal) - 1) : -1
      const bits = words[word]! & upTo
      if (bits !== 0) return WORD_BITS * word + WORD_BITS - 1 - Math.clz32(bits)
    }
    return undefined
  }

  #makeRoom(words: number): void {
    if (words <= this.#words.length) return
    const larger = new Uint32Array(Math.max(words, 2 * this.#words.length))
    larger.set(this.#words)
    this.#words = larger
  }
}

function wordOf(ordinal: number): number {
  return Math.floor(ordinal / WORD_BITS)
}

function bitOf(ordinal: number): number {
  return 1 << (ordinal % WORD_BITS)
}
