import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { plainBytes } from '../encoding/hex.js'
import { Cursor } from './cursor.js'
import { type Entry, type RangeOptions, type Walk, entriesOf } from './walk.js'
import { createDirectory, hasRoom, syncDirectory } from './directories.js'
import { DataDirectoryError, StorageWriteError } from './errors.js'
import { NEXT_NUMBER_KEY, decodeOrdinal, encodeOrdinal, isTrieNodeKey } from './keyspace.js'
import { Levels, RowCache, recoverWriteAhead, writeAheadPath, writeToLevel } from './level.js'
import { MergedCursor } from './mergedCursor.js'
import { type BatchOperation, MemTable, keyString } from './memTable.js'
import {
  type RecordPosition,
  RecordStore,
  RecordWindow,
  decodeBulkRow,
  encodeBulkRow,
  lengthOf,
} from './records.js'
import { AppendFile } from './segmentFiles.js'

const DEFAULT_WRITE_BUFFER_BYTES = 2 * 1024 * 1024
const IDLE_FLUSH_MILLISECONDS = 250
/** Delay between attempts to repeat a write that LevelDB refused. */
const RETRY_MILLISECONDS = 500
/** Period of a timer that does nothing but keep the process alive. */
const KEEP_ALIVE_MILLISECONDS = 60_000
/** Free space required beyond the pending bytes, for LevelDB's own files. */
const SPARE_BYTES = 1024 * 1024
/** Size of the row cache: 131,072 rows, so three for each of 40,000 blocks. */
const ROW_CACHE_BYTES = 8 * 1024 * 1024
/** Length from which a record can be written ahead of its batch: appending it at once takes some 5 ms. */
const LARGE_RECORD_BYTES = 4 * 1024 * 1024

/** Options for opening a database. */
export interface DatabaseOptions {
  /** Created if missing. */
  directory: string
  /** Whether every write waits for the medium, so that it survives a power loss too. */
  sync: boolean
  /** Bytes kept in memory and in the write-ahead file before they go to LevelDB. */
  writeBufferBytes?: number
  /** See RecordStoreOptions. */
  segmentBytes?: number
}

type WriteOptions = Required<Pick<DatabaseOptions, 'directory' | 'sync' | 'writeBufferBytes'>>

/**
 * Store of a data directory: keys and values in LevelDB, with a write-ahead file in front and a record file for bulk
 * bytes beside it.
 *
 * A write is one append to the write-ahead file and is visible when it returns; LevelDB follows in the background. A
 * killed process loses nothing that was written: the next open replays the file.
 */
export class Database {
  readonly records: RecordStore
  /** Read buffer for records that lie together, shared by all readers. */
  readonly window: RecordWindow
  readonly #levels: Levels
  /** Cache of short rows; a lookup in LevelDB takes about ten times as long. */
  #rowCache = new RowCache(ROW_CACHE_BYTES)
  readonly #options: WriteOptions
  #generation: number
  #active: MemTable
  /** Tables on their way to LevelDB, oldest first. */
  readonly #immutableTables: MemTable[]
  #spareMemory: Buffer | undefined
  #flushing: Promise<void> | undefined
  #nextNumber: number
  /** Next number as stored in the database. */
  #storedNextNumber: number
  #failure: unknown
  readonly #closing = new AbortController()
  readonly #checking: Promise<void>
  /** Set once a damaged file is found; LevelDB is then no longer read. */
  #damage: DataDirectoryError | undefined
  #idle: NodeJS.Timeout | undefined
  #retry: NodeJS.Timeout | undefined

  /** Use openDatabase. */
  constructor(parts: {
    levels: Levels
    records: RecordStore
    options: WriteOptions
    generation: number
    recovered: readonly MemTable[]
  }) {
    this.#levels = parts.levels
    this.records = parts.records
    this.window = new RecordWindow(parts.records)
    this.#options = parts.options
    this.#generation = parts.generation
    this.#checking = parts.levels.checkRest(this.#closing.signal).catch((error: unknown) => {
      this.#damage =
        error instanceof DataDirectoryError
          ? error
          : new DataDirectoryError('A file cannot be read', { cause: error })
    })
    this.#immutableTables = [...parts.recovered]
    this.#active = this.#newMemTable()
    const next = this.get(NEXT_NUMBER_KEY)
    this.#nextNumber = next === undefined ? 0 : decodeOrdinal(next)
    this.#storedNextNumber = this.#nextNumber
    if (this.#immutableTables.length > 0) this.#scheduleFlush()
  }

  /** Reserves `count` consecutive numbers, never handed out before, and returns the first. */
  reserveNumbers(count: number): number {
    this.#nextNumber += count
    return this.#nextNumber - count
  }

  /** Returns the value of a key, or undefined. The bytes are shared: readers must not change them. */
  get(key: Uint8Array): Uint8Array | undefined {
    const found = this.#findUnflushed(keyString(key))
    if (found !== undefined) return found ?? undefined
    this.#throwDamage()
    if (isTrieNodeKey(key)) {
      const node = this.#levels.nodes.getSync(key)
      return node && plainBytes(node)
    }
    const kept = this.#rowCache.get(key)
    if (kept !== undefined) return kept
    const stored = this.#levels.rows.getSync(key)
    if (stored === undefined) return undefined
    this.#rowCache.keep(key, stored)
    return plainBytes(stored)
  }

  /** Returns a copy of the bytes stored with {@link WriteBatch.putBulk}, or undefined. */
  getBulk(key: Uint8Array): Uint8Array | undefined {
    const row = this.get(key)
    if (row === undefined) return undefined
    const { position, length } = decodeBulkRow(row)
    return this.records.read(position, 0, length)
  }

  /**
   * Writes the large records of a batch ahead of it, without holding other work, and adds the rows that point to them.
   * They have no effect until the batch is written.
   *
   * @throws StorageWriteError if the disk refuses
   */
  async writeLargeRecords(batch: WriteBatch): Promise<void> {
    for (const record of batch.records.filter(({ pieces }) => lengthOf(pieces) >= LARGE_RECORD_BYTES)) {
      batch.records.splice(batch.records.indexOf(record), 1)
      const position = await this.records.appendLarge(record.pieces, this.#options)
      for (const row of record.rows(position)) batch.operations.push(row)
    }
  }

  /**
   * Stores a batch atomically. When the call returns, it survives the end of this process.
   *
   * @throws StorageWriteError if the disk refuses; then nothing of the batch is stored or visible. The failure of an
   * earlier write to LevelDB is thrown until LevelDB accepts it; its data is in the write-ahead file.
   */
  write(batch: WriteBatch): void {
    this.#throwFailure()
    const operations = batch.operations.concat(this.#append(batch))
    const next = this.#nextNumber
    if (next !== this.#storedNextNumber) operations.push({ key: NEXT_NUMBER_KEY, value: encodeOrdinal(next) })
    if (this.#options.sync) this.records.sync()
    try {
      this.#active.write({ operations, recordEnd: this.records.end }, { sync: this.#options.sync })
    } catch (cause) {
      throw new StorageWriteError('Could not append to the write-ahead file', { cause })
    }
    this.#storedNextNumber = next
    for (const callback of batch.afterwards) callback()
    this.#scheduleFlush()
  }

  /** Iterates over a snapshot of a range in key order. */
  async *iterate(range: RangeOptions): AsyncGenerator<Entry, void, undefined> {
    yield* entriesOf(this.openCursor(range))
  }

  /** Opens a walk over a snapshot of a range of keys of one kind; it can jump forward. The caller closes it. */
  openCursor(range: RangeOptions): Walk {
    this.#throwDamage()
    const level = this.#levels.of(range.gte)
    const changes = [this.#active, ...this.#immutableTables.toReversed()].map((memTable) =>
      memTable.changes(range),
    )
    if (changes.every((list) => list.length === 0)) return new Cursor(level, range)
    const { limit, reverse = false, ...bounds } = range
    return new MergedCursor({
      level: new Cursor(level, { ...bounds, reverse }),
      changes,
      reverse,
      limit,
    })
  }

  /** Removes the entries of a range, which must not be written to meanwhile. Not atomic: a kill may leave some. */
  async clear({ gte, lt }: Pick<RangeOptions, 'gte' | 'lt'>): Promise<void> {
    await this.flush()
    await Promise.all([this.#levels.rows.clear({ gte, lt }), this.#levels.nodes.clear({ gte, lt })])
    this.#rowCache = new RowCache(ROW_CACHE_BYTES)
  }

  /** Reclaims the space of deleted entries in a range of keys of one kind. */
  async compact(range: Pick<RangeOptions, 'gte' | 'lt'>): Promise<void> {
    await this.flush()
    await this.#levels.compact(range)
  }

  /**
   * Waits until all files present when the database was opened are checked.
   *
   * @throws DataDirectoryError if one is damaged
   */
  async filesChecked(): Promise<void> {
    // The check pauses without keeping the process alive.
    const keepAlive = setInterval(() => undefined, KEEP_ALIVE_MILLISECONDS)
    await this.#checking.finally(() => clearInterval(keepAlive))
    this.#throwDamage()
  }

  /** Moves everything written before the call to LevelDB. */
  async flush(): Promise<void> {
    const upTo = this.#active
    const isPending = () =>
      this.#active === upTo
        ? upTo.size > 0 || this.#immutableTables.length > 0
        : this.#immutableTables.includes(upTo)
    this.#throwFailure()
    while (isPending()) {
      await (this.#flushing ?? this.#startFlush())
      this.#throwFailure()
    }
  }

  /** Flushes and closes. No method may be called afterwards. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    clearTimeout(this.#retry)
    this.#closing.abort()
    try {
      // The disk may have room again by now.
      if (this.#failure !== undefined) await this.#tryAgain()
      await this.flush()
    } finally {
      this.records.close()
      for (const memTable of [...this.#immutableTables, this.#active]) memTable.file.close()
      await this.#levels.close()
    }
  }

  /** Returns null for a key that was removed, and undefined for one with no change pending for LevelDB. */
  #findUnflushed(name: string): Uint8Array | null | undefined {
    const found = this.#active.find(name)
    if (found !== undefined) return found
    for (let i = this.#immutableTables.length - 1; i >= 0; i--) {
      const earlier = this.#immutableTables[i]?.find(name)
      if (earlier !== undefined) return earlier
    }
    return undefined
  }

  /** One write for all: most batches are a block with some nodes of its state. */
  #append({ records }: WriteBatch): BatchOperation[] {
    if (records.length === 0) return []
    const positions = this.records.append(records.map(({ pieces }) => pieces))
    return records.flatMap(({ rows }, index) => rows(positions[index]!))
  }

  #newMemTable(): MemTable {
    const path = writeAheadPath(this.#options.directory, this.#generation++)
    const memory = this.#spareMemory ?? Buffer.allocUnsafeSlow(this.#options.writeBufferBytes)
    this.#spareMemory = undefined
    const file = new AppendFile({ path, length: 0 })
    if (this.#options.sync) syncDirectory(this.#options.directory)
    return new MemTable(file, memory, this.records.end)
  }

  #scheduleFlush(): void {
    if (this.#flushing !== undefined || this.#failure !== undefined) return
    if (this.#active.file.length >= this.#options.writeBufferBytes) {
      void this.#startFlush()
    } else if (this.#idle === undefined) {
      this.#idle = setTimeout(() => this.#flushIfIdle(this.#active.file.length), IDLE_FLUSH_MILLISECONDS)
      this.#idle.unref()
    }
  }

  /** Flushes if nothing was written since the file had `length` bytes; otherwise waits again. */
  #flushIfIdle(length: number): void {
    this.#idle = undefined
    if (this.#flushing !== undefined || this.#failure !== undefined) return
    if (this.#active.file.length !== length) this.#scheduleFlush()
    else if (length > 0 || this.#immutableTables.length > 0) void this.#startFlush()
  }

  /** Never rejects: a failure is kept for the next caller. */
  #startFlush(): Promise<void> {
    clearTimeout(this.#idle)
    this.#idle = undefined
    try {
      if (this.#active.size > 0) {
        const next = this.#newMemTable()
        this.#immutableTables.push(this.#active)
        this.#active = next
      }
    } catch (error) {
      this.#fail(error)
      return Promise.resolve()
    }
    this.#flushing = this.#flushImmutable()
      .catch((error: unknown) => this.#flushReopened(error))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#flushing = undefined
      })
    return this.#flushing
  }

  /** Oldest first: a file left behind must never be older than one that is gone. */
  async #flushImmutable(): Promise<void> {
    for (
      let memTable = this.#immutableTables[0];
      memTable !== undefined;
      memTable = this.#immutableTables[0]
    ) {
      // Until the value is in LevelDB, the mem table takes precedence over the cache.
      const changes = (key: Uint8Array): void => this.#rowCache.forget(key)
      await writeToLevel(this.#levels, memTable, { sync: this.#options.sync, changes })
      this.#immutableTables.shift()
      memTable.file.close()
      rmSync(memTable.file.path)
      if (memTable.memory.length <= 2 * this.#options.writeBufferBytes) this.#spareMemory = memTable.memory
    }
  }

  /** LevelDB may fail for a disk that has room again by now: reopened, it takes the writes that it refused. */
  async #flushReopened(cause: unknown): Promise<void> {
    if (!this.#hasRoomToFlush()) throw cause
    await this.#levels.reopen()
    await this.#flushImmutable()
  }

  #hasRoomToFlush(): boolean {
    const waiting = this.#immutableTables.reduce((bytes, { file }) => bytes + file.length, 0)
    return hasRoom(this.#options.directory, 2 * waiting + SPARE_BYTES)
  }

  /** Refuses further writes until LevelDB accepts the failed one. */
  #fail(error: unknown): void {
    this.#failure = error
    if (this.#closing.signal.aborted) return
    this.#retry = setTimeout(() => void this.#tryAgain(), RETRY_MILLISECONDS)
    this.#retry.unref()
  }

  /** After a failed write LevelDB takes no more until it is reopened. */
  async #tryAgain(): Promise<void> {
    if (!this.#hasRoomToFlush()) return this.#fail(this.#failure)
    try {
      await this.#levels.reopen()
      this.#failure = undefined
    } catch (error) {
      return this.#fail(error)
    }
    await this.#startFlush()
  }

  #throwDamage(): void {
    if (this.#damage !== undefined) throw this.#damage
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return
    const attempt = 'Could not write to LevelDB; acknowledged writes are in the write-ahead file'
    throw new StorageWriteError(attempt, { cause: this.#failure })
  }
}

/**
 * Opens the database of a directory and replays what a killed process had not moved to LevelDB.
 *
 * @throws DataDirectoryError if another process has it open or its files do not belong together
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { directory, sync, writeBufferBytes = DEFAULT_WRITE_BUFFER_BYTES, segmentBytes } = options
  createDirectory(directory)
  const levels = await Levels.open(directory)
  try {
    const { memTables, recordEnd, generation } = recoverWriteAhead(levels.rows, directory)
    const records = new RecordStore({ directory: join(directory, 'records'), end: recordEnd, segmentBytes })
    const options = { directory, sync, writeBufferBytes }
    return new Database({ levels, records, options, generation, recovered: memTables })
  } catch (error) {
    await levels.close()
    throw error
  }
}

/** Record for the record file, and the rows that point to it. */
export interface RecordOperation {
  /** Concatenated to form the record. */
  pieces: readonly Uint8Array[]
  /** Creates the rows from the record's position. */
  rows: (position: RecordPosition) => readonly BatchOperation[]
}

/**
 * Changes that become visible and durable together.
 *
 * Values are kept by reference: the caller must not change them, nor pass slices of a larger buffer, which they would
 * keep alive.
 */
export class WriteBatch {
  readonly operations: BatchOperation[] = []
  readonly records: RecordOperation[] = []
  readonly afterwards: (() => void)[] = []

  put(key: Uint8Array, value: Uint8Array): this {
    this.operations.push({ key, value })
    return this
  }

  /** Stores a value in the record file and only its place under the key: for large values that never change. */
  putBulk(key: Uint8Array, value: Uint8Array): this {
    const extent = { length: value.length, checksum: crc32(value) }
    const rows = (position: RecordPosition) => [{ key, value: encodeBulkRow({ position, ...extent }) }]
    return this.putRecord({ pieces: [value], rows })
  }

  /** Stores a record in the record file, and the rows that point to it. */
  putRecord(record: RecordOperation): this {
    this.records.push(record)
    return this
  }

  /** Calls back right after the batch is written, before any other write; not if the write fails. */
  onWritten(callback: () => void): this {
    this.afterwards.push(callback)
    return this
  }

  delete(key: Uint8Array): this {
    this.operations.push({ key, value: undefined })
    return this
  }
}
