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

/** What is packed, and where to. */
export interface PackRequest {
  dataDir: string
  /** The archive. */
  file: string
  /** A keys file that goes with the data. */
  keys: string | undefined
}

/**
 * Packs a data directory into an archive, which `--from` begins with.
 *
 * @throws DataDirectoryError if there is no chain, it is damaged, or a node has it open.
 * @throws ConfigurationError if the keys file cannot be used.
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
 * Opens the databases twice: the first time brings what write-ahead files hold to LevelDB and removes files that
 * killed processes left, the second time LevelDB's own log becomes a table. No start from the archive does it again.
 */
async function settle(dataDir: string): Promise<void> {
  for (let time = 0; time < 2; time++) {
    const database = await openDatabase({ directory: join(dataDir, 'chain'), sync: true })
    await database.filesChecked().finally(() => database.close())
    const store = await openFileStore({ directory: join(dataDir, 'files'), sync: true, isIntact })
    await store.close()
  }
}
