import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeSettings } from '../options.js'
import type { Database } from '../storage/database.js'
import { openDatabase } from '../storage/database.js'

/** The data of a node while it is open. */
export interface NodeData {
  directory: string
  database: Database
  close(): Promise<void>
}

/**
 * Opens the data directory, or a temporary one that is removed when the node stops.
 *
 * @throws DataDirectoryError if another process has it or what is in it does not fit.
 */
export async function openData(settings: Pick<NodeSettings, 'dataDir' | 'sync'>): Promise<NodeData> {
  const directory = settings.dataDir ?? (await mkdtemp(join(tmpdir(), 'standin-')))
  const database = await openDatabase({ directory: join(directory, 'chain'), sync: settings.sync })
  const close = async (): Promise<void> => {
    await database.close()
    if (settings.dataDir === undefined) await rm(directory, { recursive: true, force: true })
  }
  return { directory, database, close }
}
