import { join } from 'node:path'
import { createDirectory } from '../directories.js'
import { openBlockFiles } from './blockFiles.js'
import type { BlockFiles } from './blockFiles.js'
import { openIndexDatabase } from './indexDatabase.js'
import { rowKind } from './keyspace.js'
import { createRecordStore } from './recordStore.js'
import type { RecordStore } from './recordStore.js'
import type { BlockCheck } from './rebuildSegment.js'
import { createSegmentFiles } from './segmentFiles.js'

/** Everything the file network keeps on disk. */
export interface FileStore {
  blocks: BlockFiles
  pins: RecordStore
  /** Single values by name. */
  named: RecordStore
  /** Waits for writes under way and closes all files. */
  close(): Promise<void>
}

/**
 * Opens the store of the file network: `blocks/` has the segment files, `index/` a LevelDB database.
 *
 * @throws an error with code `LEVEL_LOCKED` (as the cause) when another process has the directory open.
 */
export async function openFileStore(options: {
  /** Created when it does not exist. */
  directory: string
  /** Whether a write waits for the disk itself before it is acknowledged: survives loss of power. */
  sync: boolean
  isIntact: BlockCheck
}): Promise<FileStore> {
  const { directory, sync, isIntact } = options
  const blocksDirectory = join(directory, 'blocks')
  createDirectory(blocksDirectory)
  const database = await openIndexDatabase(join(directory, 'index'))
  const files = createSegmentFiles(blocksDirectory)
  const blocks = await openBlockFiles({ database, files, sync, isIntact }).catch(async (error: unknown) => {
    await files.close()
    await database.close()
    throw error
  })
  return {
    blocks,
    pins: createRecordStore({ database, kind: rowKind.pin, sync }),
    named: createRecordStore({ database, kind: rowKind.named, sync }),
    async close() {
      await blocks.settle()
      await files.close()
      await database.close()
    },
  }
}
