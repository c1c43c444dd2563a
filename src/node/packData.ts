import { join } from 'node:path'
import { isIntact } from '../ipfs/store/blockstore.js'
import { type Packed, packArchive } from '../storage/archive/packArchive.js'
import { openDatabase } from '../storage/database.js'
import { DataDirectoryError } from '../storage/errors.js'
import { openFileStore } from '../storage/files/blockFiles.js'
import { lockDirectory } from '../storage/lock.js'
import { readManifest } from '../storage/manifest.js'
import { readKeys } from './createProvider.js'
import { ARCHIVED_KEYS } from './startingData.js'

/** Data to pack, and its destination. */
export interface PackRequest {
  dataDir: string
  /** Path of the archive. */
  file: string
  /** A keys file to include. */
  keys: string | undefined
}

/**
 * Packs a data directory into an archive for `--from`.
 *
 * @throws DataDirectoryError if there is no chain, it is damaged, or a node has it open
 * @throws ConfigurationError if the keys file cannot be used
 */
export async function packData({ dataDir, file, keys }: PackRequest): Promise<Packed> {
  if (readManifest(dataDir) === undefined) throw new DataDirectoryError(`There is no chain in ${dataDir}.`)
  if (keys !== undefined) await readKeys({ keys, key: [] })
  const lock = lockDirectory(dataDir)
  try {
    await settle(dataDir)
    return await packArchive(dataDir, file, {
      extra: new Map(keys === undefined ? [] : [[ARCHIVED_KEYS, keys]]),
    })
  } finally {
    lock.release()
  }
}

/**
 * Opens the databases twice. The first time flushes write-ahead files to LevelDB and removes leftovers of killed
 * processes; the second time turns LevelDB's own log into a table. Starts from the archive need not do so again.
 */
async function settle(dataDir: string): Promise<void> {
  for (let time = 0; time < 2; time++) {
    const database = await openDatabase({ directory: join(dataDir, 'chain'), sync: true })
    await database.filesChecked().finally(() => database.close())
    const store = await openFileStore({ directory: join(dataDir, 'files'), sync: true, isIntact })
    await store.close()
  }
}
