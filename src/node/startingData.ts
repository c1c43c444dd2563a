import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodeSettings } from '../options.js'
import { ArchiveError } from '../storage/archive/archive.js'
import { copyData, DATA_MANIFEST, dataFiles, removeData, versionOf } from '../storage/archive/dataFiles.js'
import { createDirectory, FILE_MODE, userCacheDirectory } from '../storage/directories.js'
import { DataDirectoryError } from '../storage/errors.js'
import { isLocked, lockOwner } from '../storage/lock.js'
import { readManifest } from '../storage/manifest.js'

/** The keys file in an archive. */
export const ARCHIVED_KEYS = 'keys.json'
/** Records in a data directory what it was started from. */
const START_FILE = 'from'

/** Initial data of a node: `--from`. */
export interface StartingData {
  /** A data directory that does not change: an unpacked archive, or one that no node has open. */
  directory: string
  /** Identifies the source, recorded in the data directory. */
  name: string
  /** Whether a killed process may have left files in it that LevelDB does not know. */
  isUnsettled: boolean
  /** Where to create temporary data directories: on the same file system, if it is the cache's. */
  temporary: string
  /** Path of its keys file. */
  keys: string | undefined
}

/**
 * Locates the data given by `--from`; unpacks an archive unless an earlier start has done so.
 *
 * @returns undefined without --from
 * @throws ArchiveError if it is neither an archive nor a data directory, or cannot be used
 * @throws DataDirectoryError if a node has the directory open
 */
export async function findStartingData({
  from,
  archiveCache = userCacheDirectory('archives'),
}: Pick<NodeSettings, 'from' | 'archiveCache'>): Promise<StartingData | undefined> {
  if (from === undefined) return undefined
  const found = statSync(from, { throwIfNoEntry: false })
  if (found === undefined) throw new ArchiveError(`--from: ${from} does not exist.`)
  const temporary = join(archiveCache, 'running')
  createDirectory(temporary)
  if (found.isDirectory()) {
    const directory = realpathSync(from)
    if (readManifest(directory) === undefined) {
      throw new DataDirectoryError(`--from: ${from} contains no chain.`)
    }
    const isUnsettled = lockOwner(directory) !== undefined
    return { directory, name: directory, isUnsettled, temporary, keys: keysIn(directory) }
  }
  // Loaded only for starts from an archive.
  const { unpackArchive } = await import('../storage/archive/archiveCache.js')
  const { directory, checksum } = await unpackArchive(from, archiveCache)
  return { directory, name: `sha256:${checksum}`, isUnsettled: false, temporary, keys: keysIn(directory) }
}

function keysIn(directory: string): string | undefined {
  const path = join(directory, ARCHIVED_KEYS)
  return existsSync(path) ? path : undefined
}

/**
 * Fills a data directory that this process has locked, unless it was already started from the same data.
 *
 * @throws DataDirectoryError if it contains other data, or a node opened the source during the copy
 */
export function fillDataDirectory({ directory, name, isUnsettled }: StartingData, target: string): void {
  const marker = join(target, START_FILE)
  const before = existsSync(marker) ? readFileSync(marker, 'utf8') : undefined
  if (before === name && existsSync(join(target, DATA_MANIFEST))) return
  const isFree = readdirSync(target).every((entry) => entry === 'lock' || entry.startsWith('lock.'))
  if (before !== name && !isFree) {
    throw new DataDirectoryError(
      `The data directory ${target} is not empty and was not started from this --from. ` +
        'Start without --from to continue with it, or choose another directory.',
    )
  }
  removeData(target)
  writeFileSync(marker, name, { mode: FILE_MODE })
  const version = versionOf(directory)
  const names = dataFiles(directory).filter((file) => file !== START_FILE)
  if (!isLocked(directory)) copyData(directory, target, names, { share: !isUnsettled })
  if (isLocked(directory) || versionOf(directory) !== version) {
    removeData(target)
    throw new DataDirectoryError(`--from: a node has ${directory} open. Stop it first.`)
  }
}
