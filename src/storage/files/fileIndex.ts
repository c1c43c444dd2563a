import { hasRoom } from '../directories.js'
import { StorageWriteError } from '../errors.js'
import { type Level, openLevel } from '../level.js'
import { checkLevelFiles } from '../levelFiles.js'
import type { BatchOperation } from '../memTable.js'
import { type RowKind, rowKey, rowRange } from './rows.js'

/** Bytes that LevelDB collects before it writes a table. */
const WRITE_BUFFER_BYTES = 4 * 1024 * 1024
/** Free space required before the database is reopened. */
const SPARE_BYTES = 2 * 1024 * 1024

/** Index of the file network's segments, and its other rows, in one LevelDB. */
export class FileIndex {
  readonly #directory: string
  readonly #level: Level
  readonly #sync: boolean
  /** Whether the disk refused the last write: LevelDB then takes no more until it is reopened. */
  #isRefused = false

  private constructor(directory: string, level: Level, sync: boolean) {
    this.#directory = directory
    this.#level = level
    this.#sync = sync
  }

  /**
   * Opens the index in a directory, creating it if missing.
   *
   * @param options.sync - whether a write waits for the disk
   * @throws DataDirectoryError if one of its files is damaged, or another process has it open
   */
  static async open(directory: string, { sync }: { sync: boolean }): Promise<FileIndex> {
    await checkLevelFiles(directory)
    return new FileIndex(directory, await openLevel(directory, WRITE_BUFFER_BYTES), sync)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#level.getSync(key)
  }

  /** Iterates over the rows of a kind in key order. */
  rows(kind: RowKind): AsyncIterable<[key: Uint8Array, value: Uint8Array]> {
    return this.#level.iterator(rowRange(kind))
  }

  /**
   * Applies changes in one atomic write; none is needed for an empty list. The batch is built row by row: passing a
   * list costs the library ten times as much.
   *
   * @throws StorageWriteError if the disk refuses; later calls succeed once there is room
   */
  async write(changes: readonly BatchOperation[], { sync = this.#sync } = {}): Promise<void> {
    if (changes.length === 0) return
    try {
      if (this.#isRefused && hasRoom(this.#directory, SPARE_BYTES)) {
        await this.#level.close()
        await this.#level.open()
        this.#isRefused = false
      }
      const batch = this.#level.batch()
      for (const { key, value } of changes) {
        if (value === undefined) batch.del(key)
        else batch.put(key, value)
      }
      await batch.write({ sync })
    } catch (cause) {
      this.#isRefused = true
      throw new StorageWriteError('Could not write to the file index', { cause })
    }
  }

  close(): Promise<void> {
    return this.#level.close()
  }
}

/** Rows of one kind other than blocks; keys and values are the caller's bytes. */
export class RowStore {
  readonly #index: FileIndex
  readonly #kind: RowKind

  constructor(index: FileIndex, kind: RowKind) {
    this.#index = index
    this.#kind = kind
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#index.get(rowKey(this.#kind, key))
    return value && Uint8Array.from(value)
  }

  put(key: Uint8Array, value: Uint8Array): Promise<void> {
    return this.#index.write([{ key: rowKey(this.#kind, key), value }])
  }

  delete(key: Uint8Array): Promise<void> {
    return this.#index.write([{ key: rowKey(this.#kind, key), value: undefined }])
  }

  /** Yields every row in key order. */
  async *entries(): AsyncGenerator<[key: Uint8Array, value: Uint8Array]> {
    for await (const [key, value] of this.#index.rows(this.#kind)) {
      yield [Uint8Array.from(key.subarray(1)), Uint8Array.from(value)]
    }
  }
}
