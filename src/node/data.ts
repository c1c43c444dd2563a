import { join } from 'node:path'
import { createStateCaches } from '../chain/state/account.js'
import type { NetworkData } from '../network/network.js'
import { NetworkNumbers } from '../network/networkNumbers.js'
import type { NodeSettings } from '../options.js'
import { openDatabase } from '../storage/database.js'
import { lockDirectory } from '../storage/lock.js'
import {
  createTemporaryDirectory,
  removeTemporaryDirectory,
  sweepTemporaryDirectories,
} from '../storage/temporaryDirectory.js'
import { FORMAT_VERSION, readManifest, writeManifest } from '../storage/manifest.js'
import { fillDataDirectory, type StartingData } from './startingData.js'

/** The data of a running node. */
export interface NodeData extends NetworkData {
  directory: string
  close(): Promise<void>
}

/**
 * Opens the data directory, or a temporary one that is removed when the node stops.
 *
 * @param start - initial data of a directory without a chain
 * @throws DataDirectoryError if another process has it open or its content does not fit
 */
export async function openData(
  settings: Pick<NodeSettings, 'dataDir' | 'sync' | 'cacheMemory'>,
  start?: StartingData,
): Promise<NodeData> {
  const isTemporary = settings.dataDir === undefined
  const directory = settings.dataDir ?? createTemporaryDirectory(start?.temporary)
  const lock = lockDirectory(directory)
  const leave = async (): Promise<void> => {
    lock.release()
    if (isTemporary) await removeTemporaryDirectory(directory)
  }
  try {
    if (start !== undefined) fillDataDirectory(start, directory)
    const manifest = readManifest(directory) ?? { formatVersion: FORMAT_VERSION, networks: {} }
    const database = await openDatabase({ directory: join(directory, 'chain'), sync: settings.sync })
    // Delayed and without reporting failures, because leftovers of other processes must not affect this start.
    setTimeout(() => void sweepTemporaryDirectories(start?.temporary).catch(() => undefined), 500).unref()
    return {
      directory,
      database,
      caches: createStateCaches(settings.cacheMemory * 1024 * 1024),
      manifest,
      numbers: new NetworkNumbers(manifest),
      saveManifest: () => writeManifest(directory, manifest, { durable: !isTemporary }),
      close: () => inOrder([() => database.close(), leave]),
    }
  } catch (error) {
    await leave()
    throw error
  }
}

/**
 * Runs steps in order, continuing after failures, so that everything a node has opened gets closed.
 *
 * @throws the first failure, once all steps have run
 */
export async function inOrder(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    await step().catch((failure: unknown) => {
      failures.push(failure)
    })
  }
  if (failures.length > 0) throw failures[0]
}
