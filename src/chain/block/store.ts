import type { LogsExtent } from '../logs/query.js'
import { crc32 } from 'node:zlib'
import type { Steps } from '../../encoding/timeSlice.js'
import { type Database, WriteBatch } from '../../storage/database.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'
import { type SingleBlock, SingleBlockTable } from '../logs/postings.js'
import { bytesKey } from '../state/account.js'
import {
  type IndexRecord,
  type LogCriterion,
  TransactionFilter,
  type TransactionInclusion,
  decodeBlockRow,
  decodeTransactionRow,
  encodeBlockRow,
  encodeIndexRecord,
  encodeTransactionRow,
  logKey,
  logRows,
  regionLength,
} from './indexRecord.js'
import type {
  BlockEncoder,
  BlockPosition,
  BlockWire,
  SealedBlock,
  StoredBlock,
  TransactionLocation,
} from './record.js'
import { BlockRegions, encodeRegion } from './regions.js'
import { RemovedBlocks } from './removedBlocks.js'

/** Index rows added to a batch between two yields. */
const ROWS_AT_ONCE = 512
/** Maximum rows of the log index, and of transactions, that are written together with their block. */
const ROWS_WITH_BLOCK = 4096
/** Setting with the lowest free ordinal: below it, blocks that were never stored may have left rows of the index. */
const FREE_ORDINAL = 'freeOrdinal'

/** Options for a block store. */
export interface BlockStoreOptions {
  database: Database
  keys: Keyspace
  encoder: BlockEncoder
}

/** A block that was added to a batch. */
export interface StagedBlock {
  record: IndexRecord
  /** Its wire bytes; undefined if it was stored before. */
  wire: Uint8Array | undefined
}

/**
 * The stored blocks of one chain: rows in the key-value store, bulk data and index records in the record file. Blocks
 * are only added; the rows number -> ordinal say which ones are canonical.
 */
export class BlockStore {
  readonly #database: Database
  readonly #keys: Keyspace
  readonly #encoder: BlockEncoder
  readonly #recent = new RecentRecords()
  readonly #regions: BlockRegions
  /** The transactions of all stored blocks, if this process stored all of them. */
  #transactions: TransactionFilter | undefined = new TransactionFilter()
  /** Blocks that may have transactions: those of another process count until one is read and has none. */
  readonly #withTransactions = new OrdinalSet()
  /** The rows of the log index, if this process stored all of them. */
  #singleBlocks: SingleBlockTable | undefined = new SingleBlockTable()
  #nextOrdinal = 0
  readonly #removed: RemovedBlocks
  /** Whether rows of edited roots may exist; chains without edits skip the look-up. */
  #hasEditedRoots = false
  /** Number of the newest canonical block; -1 until a head is known. */
  #end = -1n

  private constructor({ database, keys, encoder }: BlockStoreOptions, removed: RemovedBlocks) {
    this.#removed = removed
    this.#database = database
    this.#keys = keys
    this.#encoder = encoder
    this.#regions = new BlockRegions(database)
  }

  /** Returns the number of topics of a log, given its wire bytes. */
  topicCount(log: Uint8Array): number {
    return this.#encoder.topicCount(log)
  }

  static async open(options: BlockStoreOptions): Promise<BlockStore> {
    const { database, keys } = options
    const store = new BlockStore(options, await RemovedBlocks.open(database, keys))
    for await (const [key] of database.iterate({ ...keys.blocks(), reverse: true, limit: 1 })) {
      store.#nextOrdinal = ordinalOfKey(key) + 1
      store.#withTransactions.addBelow(store.#nextOrdinal)
      store.#transactions = undefined
      store.#singleBlocks = undefined
    }
    const free = database.get(keys.setting(FREE_ORDINAL))
    if (free !== undefined) store.#nextOrdinal = Math.max(store.#nextOrdinal, decodeOrdinal(free))
    for await (const _ of database.iterate({ ...keys.editedRoots(), limit: 1 })) {
      store.#hasEditedRoots = true
    }
    return store
  }

  /**
   * Adds a sealed block to a batch. A block that is already stored, on another branch, keeps its ordinal: ordinals must
   * rise along every branch, and a new one could exceed those of the block's descendants. A removed block has no
   * descendants left, so it gets a new ordinal.
   *
   * @param stateNode - number of the trie node that the header's state root names, if it is stored in the same batch
   * @returns the argument for {@link added}, once the batch is written
   */
  *stage(batch: WriteBatch, sealed: SealedBlock, stateNode?: number): Steps<StagedBlock> {
    const parent = this.#recent.ordinal(sealed.header.parentHash)
    // Blocks are stored after their parents, so a child of the last one is not stored yet.
    const isNew = parent !== undefined && parent === this.#nextOrdinal - 1
    const stored = isNew ? undefined : this.#storedOrdinal(this.#keys.ordinalByHash(sealed.hash))
    const known = stored === undefined || this.#removed.has(stored) ? undefined : this.#record(stored)
    if (known !== undefined) return { record: known, wire: undefined }
    const ordinal = this.#nextOrdinal
    const keys = this.#keys
    const { record, pieces, wire } = yield* encodeRegion(sealed, ordinal, this.#encoder)
    record.block.stateNode = stateNode
    const index = encodeIndexRecord(record, sealed.encoded?.header)
    batch.putRecord({
      pieces: [...pieces, index],
      rows: (position) => {
        record.region.position = position
        const indexPosition = position + regionLength(record.region)
        const place = { position: indexPosition, length: index.length, checksum: crc32(index) }
        return [{ key: keys.block(ordinal), value: encodeBlockRow({ place, stateNode }) }]
      },
    })
    yield
    batch.put(keys.ordinalByHash(sealed.hash), encodeOrdinal(ordinal))
    this.#stageEditedRoot(batch, sealed)
    yield* this.#stageRows(batch, ordinal, sealed.transactions, (into, { hash }, index) => {
      const inclusions = this.#inclusionsOf(hash)
      inclusions.push({ ordinal, index })
      into.put(keys.transaction(hash), encodeTransactionRow(inclusions))
    })
    const rows = yield* logRows(sealed.transactions.flatMap(({ receipt }) => receipt.logs))
    yield* this.#stageRows(batch, ordinal, rows, (into, { criterion, posting }) => {
      into.put(logKey(keys, criterion, ordinal), posting)
      this.#singleBlocks?.add(criterion, ordinal)
    })
    return { record, wire }
  }

  /**
   * Adds rows of a block to its batch. Of thousands, most are written before it, in small batches. They have no effect
   * until the block is stored; if it never is, no other block gets its ordinal.
   */
  *#stageRows<T>(
    batch: WriteBatch,
    ordinal: number,
    rows: readonly T[],
    stage: (batch: WriteBatch, row: T, index: number) => void,
  ): Steps<void> {
    const ahead = rows.length - ROWS_WITH_BLOCK
    for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
      const into = start < ahead ? new WriteBatch() : batch
      const end = Math.min(start + ROWS_AT_ONCE, rows.length)
      for (let index = start; index < end; index++) stage(into, rows[index]!, index)
      if (into !== batch) {
        this.#nextOrdinal = ordinal + 1
        this.#database.write(into.put(this.#keys.setting(FREE_ORDINAL), encodeOrdinal(ordinal + 1)))
      }
      yield
    }
  }

  /** Stores, with the parent, the root that a block builds on, if controls made it differ from the parent header's. */
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

  /** Returns the 32-byte state root that controls edited a block to, if another block builds on it. */
  editedRoot({ ordinal }: StoredBlock): Uint8Array | undefined {
    return this.#hasEditedRoots ? this.#database.get(this.#keys.editedRoot(ordinal)) : undefined
  }

  /** Records that a staged block is stored. */
  added({ record, wire }: StagedBlock): StoredBlock {
    const { block } = record
    this.#nextOrdinal = Math.max(this.#nextOrdinal, block.ordinal + 1)
    this.#recent.add(record)
    for (const { hash } of block.transactions) this.#transactions?.add(hash)
    if (block.transactions.length > 0) this.#withTransactions.add(block.ordinal)
    if (wire !== undefined) this.#regions.keep(record, wire)
    return block
  }

  /**
   * Returns the nearest ordinal, including the given one, of a block that may have transactions. Blocks of this process
   * do have some; for those of another process it is only a hint.
   */
  nearestWithTransactions(ordinal: number, side: 'above' | 'below'): number | undefined {
    const ordinals = this.#withTransactions
    return side === 'above' ? ordinals.atOrAbove(ordinal) : ordinals.atOrBelow(ordinal)
  }

  byOrdinal(ordinal: number): StoredBlock | undefined {
    return this.#record(ordinal)?.block
  }

  /** Returns a block by its 32-byte hash, on any branch; none that was removed. */
  byHash(hash: Uint8Array): StoredBlock | undefined {
    const ordinal = this.#recent.ordinal(hash) ?? this.#storedOrdinal(this.#keys.ordinalByHash(hash))
    return ordinal === undefined || this.#removed.has(ordinal) ? undefined : this.byOrdinal(ordinal)
  }

  /** The ordinal of the next block to be stored. */
  get nextOrdinal(): number {
    return this.#nextOrdinal
  }

  /**
   * Adds the removal of a range of blocks to a batch; they are no longer found by hash.
   *
   * @param to - ordinal of the first block that stays; by default everything from `from` on is removed
   * @returns a function that makes it effective; call it once the batch is written
   */
  stageRemoval(
    batch: WriteBatch,
    { from, to = this.#nextOrdinal }: { from: number; to?: number },
  ): () => void {
    return this.#removed.stage(batch, { from, to })
  }

  /** Records the head of the chain. Rows with greater numbers are left over from a rollback and are ignored. */
  endAt(head: StoredBlock): void {
    this.#end = head.header.number
  }

  canonicalOrdinal(number: bigint): number | undefined {
    if (number > this.#end) return undefined
    return this.#storedOrdinal(this.#keys.ordinalByNumber(number))
  }

  isCanonical(block: BlockPosition): boolean {
    return this.canonicalOrdinal(block.header.number) === block.ordinal
  }

  /** Returns the location of a transaction on the canonical chain. */
  transactionLocation(hash: Uint8Array): TransactionLocation | undefined {
    for (const { ordinal, index } of this.#inclusionsOf(hash).reverse()) {
      const block = this.byOrdinal(ordinal)
      if (block !== undefined && this.isCanonical(block)) return { block, index }
    }
    return undefined
  }

  #inclusionsOf(hash: Uint8Array): TransactionInclusion[] {
    if (this.#transactions?.mayHold(hash) === false) return []
    const row = this.#database.get(this.#keys.transaction(hash))
    return row === undefined ? [] : decodeTransactionRow(row)
  }

  /** Returns the wire bytes of a block. */
  wire(block: StoredBlock): BlockWire {
    return this.#regions.wire(this.#recordOf(block))
  }

  /** See {@link SingleBlockTable.find}. */
  singleBlock(criterion: LogCriterion): SingleBlock {
    return this.#singleBlocks?.find(criterion)
  }

  /** Returns the wire bytes of a block's logs, given ascending indices; undefined means all of them. */
  logsWire(block: StoredBlock, indices: readonly number[] | undefined): Uint8Array[] {
    return this.#regions.logs(this.#recordOf(block), indices)
  }

  /** Returns the number of logs that {@link logsWire} returns, and approximately their bytes. */
  logsExtent(block: StoredBlock, indices: readonly number[] | undefined): LogsExtent {
    return this.#regions.logsExtent(this.#recordOf(block), indices)
  }

  /** Returns the RLP of a whole block. */
  blockRlp(block: StoredBlock): Uint8Array {
    return this.#regions.blockRlp(this.#recordOf(block))
  }

  /** Yields a block's receipts in consensus form. */
  receiptsRlp(block: StoredBlock): Iterable<Uint8Array> {
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
    const { place, stateNode } = decodeBlockRow(row)
    const record = this.#regions.indexRecord(ordinal, place)
    record.block.stateNode = stateNode
    if (record.block.transactions.length === 0) this.#withTransactions.delete(ordinal)
    this.#recent.keep(record)
    return record
  }

  #storedOrdinal(key: Uint8Array): number | undefined {
    const value = this.#database.get(key)
    return value === undefined ? undefined : decodeOrdinal(value)
  }
}

/** Size limit of the cached records. */
const CAPACITY_BYTES = 8 * 1024 * 1024
/** Approximate size of a decoded record: mostly the header of many small arrays, and the rows of transactions. */
const BLOCK_BYTES = 4000
const TRANSACTION_BYTES = 150

/** Records used at about the same time. */
class Generation {
  readonly records = new Map<number, IndexRecord>()
  readonly ordinals = new Map<string, number>()
}

/**
 * A cache of recently used index records, so that hot blocks are not decoded again.
 *
 * Two generations approximate the order of use. When the young one reaches half the limit, it becomes the old one, and
 * records not read since are dropped.
 */
class RecentRecords {
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

  /** Returns the ordinal of a recently added block by its 32-byte hash. */
  ordinal(hash: Uint8Array): number | undefined {
    const key = bytesKey(hash)
    return this.#young.ordinals.get(key) ?? this.#old.ordinals.get(key)
  }

  /** Caches the record of a block stored just now. */
  add(record: IndexRecord): void {
    const { ordinal, hash } = record.block
    this.#young.ordinals.set(bytesKey(hash), ordinal)
    this.keep(record)
  }

  /** Caches a record that was read. */
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

/** A set of block ordinals as a bitmap, with a bit for each block ever stored. */
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

  /** Returns the smallest member not below an ordinal. */
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

  /** Returns the greatest member not above an ordinal. */
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
