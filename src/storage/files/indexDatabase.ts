import { Level } from 'level'
import { DataDirectoryError } from '../errors.js'
import { checkLevelFiles } from '../levelFiles.js'

/** The LevelDB database behind the file index. */
export type IndexDatabase = Level<Uint8Array, Uint8Array>

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
  const database: IndexDatabase = new Level(directory, { keyEncoding: 'view', valueEncoding: 'view' })
  try {
    await database.open({ multithreading: true, maxOpenFiles: 64, compression: false })
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    const reason = cause instanceof Error ? cause.message : String(error)
    throw new DataDirectoryError(`Could not open the database in ${directory}: ${reason}`, { cause })
  }
  return database
}

/**
 * Applies changes in one atomic write; nothing happens when there are none. The batch is made a row at a time: a list of
 * rows costs the library ten times as much.
 */
export async function applyChanges(
  database: IndexDatabase,
  changes: IndexChange[],
  options: { sync: boolean },
): Promise<void> {
  if (changes.length === 0) return
  const batch = database.batch()
  for (const change of changes) {
    if (change.type === 'put') batch.put(change.key, change.value)
    else batch.del(change.key)
  }
  await batch.write(options)
}
