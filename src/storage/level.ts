import { join } from 'node:path'
import { ClassicLevel } from 'classic-level'
import type { Level } from './cursor.js'
import { DataDirectoryError } from './errors.js'
import { RECORD_END_KEY } from './keyspace.js'
import type { Overlay } from './overlay.js'

/** LevelDB maps the files that it holds open into memory; 74 is the least that it takes. */
const MAX_OPEN_FILES = 74
/** What LevelDB collects before it writes a table, twice over while it does so. Rows are small: bulk is elsewhere. */
const LEVEL_BUFFER_BYTES = 1024 * 1024
/** LevelDB's blocks that stay in memory; the files are mapped besides. */
const LEVEL_CACHE_BYTES = 2 * 1024 * 1024
/** Few enough that other work has its turn between two batches. */
const OPERATIONS_PER_BATCH = 500

/**
 * Opens LevelDB in a data directory.
 *
 * @throws DataDirectoryError if another process has it open.
 */
export async function openLevel(directory: string): Promise<Level> {
  const level: Level = new ClassicLevel(join(directory, 'leveldb'), {
    keyEncoding: 'view',
    valueEncoding: 'view',
    multithreading: true,
    maxOpenFiles: MAX_OPEN_FILES,
    writeBufferSize: LEVEL_BUFFER_BYTES,
    cacheSize: LEVEL_CACHE_BYTES,
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

/**
 * Brings what was written to LevelDB, in several batches: the write-ahead file, which stays until the last one, makes
 * them one. Each of them waits for the medium where writes do: LevelDB may begin another log between two of them, and
 * leaves the old one unsynced.
 *
 * @param changes - told of each key before LevelDB has its new value
 */
export async function writeToLevel(
  level: Level,
  overlay: Overlay,
  { sync, changes }: { sync: boolean; changes: (key: Uint8Array) => void },
): Promise<void> {
  let batch = level.batch()
  for (const { key, value } of overlay.operations()) {
    changes(key)
    if (value === undefined) batch.del(key)
    else batch.put(key, value)
    if (batch.length >= OPERATIONS_PER_BATCH) {
      await batch.write({ sync })
      batch = level.batch()
    }
  }
  const end = Buffer.alloc(8)
  end.writeDoubleLE(overlay.recordEnd)
  await batch.put(RECORD_END_KEY, end).write({ sync })
}
