import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import { AppendFile } from './appendFile.js'
import { Cursor, entriesOf } from './cursor.js'
import { DataDirectoryError, StorageWriteError } from './errors.js'
import { RECORD_END_KEY } from './keyspace.js'
import { MergedCursor } from './mergedCursor.js'
import { keyString, Overlay } from './overlay.js'
import { RecordStore } from './records.js'
import { plainBytes } from './plainBytes.js'
import { decodeRecords, encodedLength, encodeRecord } from './writeAheadRecord.js'
import type { Entry, Level, RangeOptions, Walk } from './cursor.js'
import type { BatchOperation, WriteBatch } from './writeBatch.js'

const DEFAULT_WRITE_BUFFER_BYTES = 4 * 1024 * 1024
const IDLE_FLUSH_MILLISECONDS = 250
const OPERATIONS_PER_BATCH = 500
const SCRATCH_BYTES = 64 * 1024
const MAX_SCRATCH_BYTES = 4 * 1024 * 1024
/** LevelDB maps the files that it holds open into memory. */
const MAX_OPEN_FILES = 30

/** How a database is opened. */
export interface DatabaseOptions {
  /** Created if it is not there. */
  directory: string
  /** Whether every write waits for the medium, so that it survives a loss of power too. */
  sync: boolean
  /** How much is kept in memory and in the write-ahead file before it goes to LevelDB. */
  writeBufferBytes?: number
  /** See RecordStoreOptions. */
  segmentBytes?: number
}

/**
 * The store of a data directory: keys and values in LevelDB, a write-ahead file before it, and a record file for
 * bulk bytes beside it.
 *
 * A write is one append to the write-ahead file and is visible when it returns; LevelDB follows in the
 * background. A process that is killed loses nothing that was written: the next open replays the file.
 */
export class Database {
  readonly records: RecordStore
  readonly #level: Level
  readonly #options: Required<Pick<DatabaseOptions, 'directory' | 'sync' | 'writeBufferBytes'>>
  #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  #generation: number
  #active: Overlay
  #behind: Overlay | undefined
  #writingBehind: Promise<void> | undefined
  #failure: unknown
  #idle: NodeJS.Timeout | undefined

  /** Use openDatabase. */
  constructor(parts: {
    level: Level
    records: RecordStore
    options: Required<Pick<DatabaseOptions, 'directory' | 'sync' | 'writeBufferBytes'>>
    generation: number
  }) {
    this.#level = parts.level
    this.records = parts.records
    this.#options = parts.options
    this.#generation = parts.generation
    this.#active = this.#newOverlay()
  }

  /** The value of a key, or undefined. The bytes are shared: readers leave them unchanged. */
  get(key: Uint8Array): Uint8Array | undefined {
    if (this.#active.size > 0 || this.#behind !== undefined) {
      const name = keyString(key)
      const active = this.#active.find(name)
      const found = active === undefined ? this.#behind?.find(name) : active
      if (found !== undefined) return found ?? undefined
    }
    const stored = this.#level.getSync(key)
    return stored === undefined ? undefined : plainBytes(stored)
  }

  /**
   * Stores a batch: all of it or nothing, durable against the end of this process when the call returns.
   *
   * @throws StorageWriteError if the disk refuses; then nothing of the batch is stored or visible. A failure of an
   * earlier write to LevelDB is thrown by the next call; the data is still in the write-ahead file.
   */
  write(batch: WriteBatch): void {
    this.#throwFailure()
    const { operations } = batch
    const needed = encodedLength(operations)
    const scratch = this.#scratchOf(needed)
    const length = encodeRecord({ operations, recordEnd: this.records.end }, scratch)
    try {
      this.#active.file.append([scratch.subarray(0, length)], { sync: this.#options.sync })
    } catch (cause) {
      throw new StorageWriteError('Could not append to the write-ahead file', { cause })
    }
    this.#active.add(operations)
    this.#scheduleFlush()
  }

  /** The entries of a range as they are now, in the order of their keys. */
  async *iterate(range: RangeOptions): AsyncGenerator<Entry, void, undefined> {
    yield* entriesOf(this.openCursor(range))
  }

  /** A walk over a range as it is now that can jump forward. The caller closes it. */
  openCursor(range: RangeOptions): Walk {
    const changes = [this.#active.changes(range), this.#behind?.changes(range) ?? []]
    if (changes.every((list) => list.length === 0)) return new Cursor(this.#level, range)
    const { limit, reverse = false, ...bounds } = range
    return new MergedCursor({
      level: new Cursor(this.#level, { ...bounds, reverse }),
      changes,
      reverse,
      limit,
    })
  }

  /** Brings everything that was written before the call to LevelDB. */
  async flush(): Promise<void> {
    const upTo = this.#active
    const isPending = () =>
      this.#active === upTo ? upTo.size > 0 || this.#behind !== undefined : this.#behind === upTo
    this.#throwFailure()
    while (isPending()) {
      await (this.#writingBehind ?? this.#startWritingBehind())
      this.#throwFailure()
    }
  }

  /** Flushes and closes; nothing may be called afterwards. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    try {
      await this.flush()
    } finally {
      this.records.close()
      this.#active.file.close()
      await this.#level.close()
    }
  }

  /** Room to encode a batch in: kept for the next one unless it is unusually large. */
  #scratchOf(length: number): Buffer {
    if (length <= this.#scratch.length) return this.#scratch
    if (length > MAX_SCRATCH_BYTES) return Buffer.allocUnsafeSlow(length)
    this.#scratch = Buffer.allocUnsafeSlow(Math.min(length * 2, MAX_SCRATCH_BYTES))
    return this.#scratch
  }

  #newOverlay(): Overlay {
    const path = writeAheadPath(this.#options.directory, this.#generation++)
    return new Overlay(new AppendFile({ path, length: 0 }))
  }

  #scheduleFlush(): void {
    if (this.#writingBehind !== undefined) return
    if (this.#active.file.length >= this.#options.writeBufferBytes) {
      void this.#startWritingBehind()
    } else if (this.#idle === undefined) {
      this.#idle = setTimeout(() => this.#flushIfIdle(this.#active.file.length), IDLE_FLUSH_MILLISECONDS)
      this.#idle.unref()
    }
  }

  /** Flushes if nothing was written since the file had `length` bytes; waits on otherwise. */
  #flushIfIdle(length: number): void {
    this.#idle = undefined
    if (this.#writingBehind !== undefined || this.#active.size === 0) return
    if (this.#active.file.length === length) void this.#startWritingBehind()
    else this.#scheduleFlush()
  }

  /** Never rejects: a failure is kept for the next caller. */
  #startWritingBehind(): Promise<void> {
    clearTimeout(this.#idle)
    this.#idle = undefined
    const behind = this.#active
    const recordEnd = this.records.end
    try {
      this.#active = this.#newOverlay()
    } catch (error) {
      this.#failure = error
      return Promise.resolve()
    }
    this.#behind = behind
    this.#writingBehind = this.#writeBehind(behind, recordEnd).catch((error: unknown) => {
      this.#failure = error
      this.#writingBehind = undefined
    })
    return this.#writingBehind
  }

  async #writeBehind(behind: Overlay, recordEnd: number): Promise<void> {
    await writeToLevel(this.#level, behind.operations(), { recordEnd, sync: this.#options.sync })
    behind.file.close()
    rmSync(behind.file.path)
    this.#behind = undefined
    this.#writingBehind = undefined
  }

  #throwFailure(): void {
    if (this.#failure === undefined) return
    throw new StorageWriteError(
      'Could not write to LevelDB; everything written is kept in the write-ahead file',
      {
        cause: this.#failure,
      },
    )
  }
}

/**
 * Opens the database of a directory and replays what a killed process had not brought to LevelDB.
 *
 * @throws DataDirectoryError if another process has it open or its files do not belong together.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { directory, sync, writeBufferBytes = DEFAULT_WRITE_BUFFER_BYTES, segmentBytes } = options
  mkdirSync(directory, { recursive: true })
  const level = await openLevel(directory)
  try {
    const { recordEnd, generation } = await replay({ level, directory, sync })
    const records = new RecordStore({
      directory: join(directory, 'records'),
      end: recordEnd,
      sync,
      segmentBytes,
    })
    return new Database({ level, records, options: { directory, sync, writeBufferBytes }, generation })
  } catch (error) {
    await level.close()
    throw error
  }
}

async function openLevel(directory: string): Promise<Level> {
  const level: Level = new ClassicLevel(join(directory, 'leveldb'), {
    keyEncoding: 'view',
    valueEncoding: 'view',
    multithreading: true,
    maxOpenFiles: MAX_OPEN_FILES,
    // Most of what is stored are hashes, which do not compress.
    compression: false,
  })
  try {
    await level.open()
  } catch (error) {
    const { cause } = error as Error
    const reason = cause instanceof Error ? cause.message : String(error)
    throw new DataDirectoryError(`Could not open the database in ${directory}: ${reason}`, { cause: error })
  }
  return level
}

interface ReplayOptions {
  level: Level
  directory: string
  sync: boolean
}

/** Brings all write-ahead files to LevelDB and removes them. */
async function replay({
  level,
  directory,
  sync,
}: ReplayOptions): Promise<{ recordEnd: number; generation: number }> {
  const stored = level.getSync(RECORD_END_KEY)
  let recordEnd = stored === undefined ? 0 : Buffer.from(stored).readDoubleLE(0)
  let generation = 0
  for (const found of writeAheadGenerations(directory)) {
    const path = writeAheadPath(directory, found)
    const { records } = decodeRecords(readFileSync(path))
    recordEnd = records.at(-1)?.recordEnd ?? recordEnd
    const operations = records.flatMap((record) => record.operations)
    if (operations.length > 0) await writeToLevel(level, operations, { recordEnd, sync })
    rmSync(path)
    generation = found + 1
  }
  return { recordEnd, generation }
}

/** In several LevelDB batches: the write-ahead file, which stays until the last one, makes them one. */
async function writeToLevel(
  level: Level,
  operations: Iterable<BatchOperation>,
  { recordEnd, sync }: { recordEnd: number; sync: boolean },
): Promise<void> {
  let batch = level.batch()
  for (const { key, value } of operations) {
    if (value === undefined) batch.del(key)
    else batch.put(key, value)
    if (batch.length >= OPERATIONS_PER_BATCH) {
      await batch.write()
      batch = level.batch()
    }
  }
  const end = Buffer.alloc(8)
  end.writeDoubleLE(recordEnd)
  await batch.put(RECORD_END_KEY, end).write({ sync })
}

function writeAheadPath(directory: string, generation: number): string {
  return join(directory, `write-ahead-${String(generation).padStart(10, '0')}.log`)
}

function writeAheadGenerations(directory: string): number[] {
  const names = readdirSync(directory).map((name) => /^write-ahead-(\d+)\.log$/.exec(name)?.[1])
  return names.flatMap((digits) => (digits === undefined ? [] : [Number(digits)])).sort((a, b) => a - b)
}
