import { Level } from 'level'

/** The LevelDB database behind the file index. */
export type IndexDatabase = Level<Uint8Array, Uint8Array>

/** One change to the index. */
export type IndexChange =
  { type: 'put'; key: Uint8Array; value: Uint8Array } | { type: 'del'; key: Uint8Array }

/** Opens the file index in a directory, which is created when it does not exist. */
export async function openIndexDatabase(directory: string): Promise<IndexDatabase> {
  const database: IndexDatabase = new Level(directory, { keyEncoding: 'view', valueEncoding: 'view' })
  await database.open({ multithreading: true, maxOpenFiles: 64 })
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
