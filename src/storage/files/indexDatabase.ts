import { Level } from 'level'
import { hasRoom } from '../directories.js'
import { DataDirectoryError, StorageWriteError } from '../errors.js'
import { checkLevelFiles } from '../levelFiles.js'
import { type RowKind, rowKey, rowRange } from './rows.js'

/** The LevelDB database behind the file index. */
export type IndexDatabase = Level<Uint8Array, Uint8Array> & {
  /** The directory; what level exports on Node has it. */
  readonly location: string
}

/** One change to the index. */
export type IndexChange =
  { type: 'put'; key: Uint8Array; value: Uint8Array } | { type: 'del'; key: Uint8Array }

/**
 * Opens the file index in a directory, which is created when it does not exist.
 *
 * @throws DataDirectoryError if a file of it is damaged, or another process has it open.
 */
export async function openIndexDatabase(directory: string): Promise<IndexDatabase> {
  await checkLevelFiles(directory)
  const options = { multithreading: true, maxOpenFiles: 64, compression: false }
  const database = new Level<Uint8Array, Uint8Array>(directory, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    ...options,
  }) as IndexDatabase
  try {
    await database.open()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const reason = cause instanceof Error ? cause.message : String(error)
    throw new DataDirectoryError(`Could not open the database in ${directory}: ${reason}`, { cause })
  }
  return database
}

/** Databases whose last write the disk has refused: LevelDB takes no more of them until it is opened anew. */
const refused = new WeakSet<IndexDatabase>()
/** What has to be free before one is opened anew. */
const SPARE_BYTES = 2 * 1024 * 1024

/**
 * Applies changes in one atomic write; nothing happens when there are none. The batch is made a row at a time: a list of
 * rows costs the library ten times as much.
 *
 * @throws StorageWriteError if the disk refuses; a later call succeeds once there is room.
 */
export async function applyChanges(
  database: IndexDatabase,
  changes: IndexChange[],
  options: { sync: boolean },
): Promise<void> {
  if (changes.length === 0) return
  try {
    if (refused.has(database) && hasRoom(database.location, SPARE_BYTES)) {
      await database.close()
      await database.open()
      refused.delete(database)
    }
    const batch = database.batch()
    for (const change of changes) {
      if (change.type === 'put') batch.put(change.key, change.value)
      else batch.del(change.key)
    }
    await batch.write(options)
  } catch (cause) {
    refused.add(database)
    throw new StorageWriteError('Could not write to the file index', { cause })
  }
}

/** Rows of one kind that are not blocks: key and value are the caller's bytes. */
export interface RecordStore {
  get(key: Uint8Array): Uint8Array | undefined
  put(key: Uint8Array, value: Uint8Array): Promise<void>
  delete(key: Uint8Array): Promise<void>
  /** Every row, in the order of the keys. */
  entries(): AsyncIterable<[key: Uint8Array, value: Uint8Array]>
}

/** The rows of one kind in the file index. */
export function createRecordStore(options: {
  database: IndexDatabase
  kind: RowKind
  sync: boolean
}): RecordStore {
  const { database, kind, sync } = options
  return {
    get(key) {
      const value = database.getSync(rowKey(kind, key))
      return value && Uint8Array.from(value)
    },
    put: (key, value) => applyChanges(database, [{ type: 'put', key: rowKey(kind, key), value }], { sync }),
    delete: (key) => applyChanges(database, [{ type: 'del', key: rowKey(kind, key) }], { sync }),
    async *entries() {
      for await (const [key, value] of database.iterator(rowRange(kind))) {
        yield [Uint8Array.from(key.subarray(1)), Uint8Array.from(value)]
      }
    },
  }
}
