import { createHash } from 'node:crypto'
import {
  createWriteStream,
  existsSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from 'node:events'
import { createDirectory, FILE_MODE } from '../directories.js'
import { DataDirectoryError } from '../errors.js'
import { type DirectoryLock, lockDirectory } from '../lock.js'
import {
  archiveEntries,
  archiveErrorOf,
  type ArchiveEntry,
  type ArchivedFile,
  ArchiveError,
  type ArchiveIdentity,
  identifyArchive,
} from './archive.js'

/** Polling interval while another process unpacks the archive. */
const POLL_MILLISECONDS = 25
/** Age at which an unpacked archive that no node has started from is removed. */
const UNUSED_MILLISECONDS = 30 * 24 * 60 * 60 * 1000

/** Archive unpacked in the cache. */
export interface UnpackedArchive {
  directory: string
  /** See ArchiveIdentity. */
  checksum: string
}

/**
 * Unpacks an archive into a cache under its checksum, unless it is there already. Other processes that need it
 * meanwhile wait. A directory gets its name once it is complete.
 *
 * @throws ArchiveError if the file is not an archive, is truncated or changed, or cannot be unpacked
 */
export async function unpackArchive(path: string, cache: string): Promise<UnpackedArchive> {
  const identity = await identifyArchive(path)
  const { checksum } = identity
  const directory = join(cache, checksum)
  if (!existsSync(directory)) await unpackOnce(path, identity, directory)
  const now = new Date()
  utimesSync(directory, now, now)
  return { directory, checksum }
}

async function unpackOnce(path: string, identity: ArchiveIdentity, directory: string): Promise<void> {
  const unpackDirectory = `${directory}.unpacking`
  let lock = tryToLock(unpackDirectory)
  for (; lock === undefined; lock = tryToLock(unpackDirectory)) {
    await sleep(POLL_MILLISECONDS)
    if (existsSync(directory)) return
  }
  const draft = join(unpackDirectory, 'data')
  try {
    if (existsSync(directory)) return
    rmSync(draft, { recursive: true, force: true })
    removeUnused(dirname(directory))
    await writeFiles(path, identity, draft)
    renameSync(draft, directory)
  } catch (error) {
    throw archiveErrorOf(path, error)
  } finally {
    rmSync(draft, { recursive: true, force: true })
    lock.release()
    removeIfEmpty(unpackDirectory)
  }
}

/** Removes a directory unless another process has begun to lock it. */
function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch {
    // The last process to leave removes it.
  }
}

/** @returns undefined if another process is unpacking the archive */
function tryToLock(unpackDirectory: string): DirectoryLock | undefined {
  try {
    return lockDirectory(unpackDirectory)
  } catch (error) {
    // ENOENT: the process that unpacked it has just removed its directory.
    if (error instanceof DataDirectoryError || (error as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined
    throw error
  }
}

/** Nodes already started from these files keep them: theirs have names of their own. */
function removeUnused(cache: string): void {
  for (const name of readdirSync(cache)) {
    if (!/^[0-9a-f]{64}$/.test(name)) continue
    const path = join(cache, name)
    if (Date.now() - statSync(path).mtimeMs > UNUSED_MILLISECONDS) rmSync(path, { recursive: true })
  }
}

/** Writes the content of an archive, except its manifest, and verifies it on the way. */
async function writeFiles(path: string, identity: ArchiveIdentity, target: string): Promise<void> {
  createDirectory(target)
  const damaged = (what: string): ArchiveError => new ArchiveError(`The archive ${path} is damaged: ${what}.`)
  const expected = [...identity.manifest.files]
  let isManifest = true
  for await (const entry of archiveEntries(path)) {
    if (isManifest) {
      isManifest = false
      if ((await checksumOf(entry)) !== identity.checksum) throw damaged('it changed while it was unpacked')
      continue
    }
    const { name } = entry.header
    const file = expected.shift()
    if (file?.name !== name) throw damaged(`${name} is not the next file in its manifest`)
    const { size, sha256 } = await writeEntry(entry, join(target, name))
    if (size !== file.size || sha256 !== file.sha256) throw damaged(`${name} does not match its checksum`)
  }
  if (expected[0] !== undefined) throw damaged(`${expected[0].name} is missing`)
}

async function checksumOf(entry: ArchiveEntry): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of entry) hash.update(piece)
  return hash.digest('hex')
}

async function writeEntry(entry: ArchiveEntry, path: string): Promise<Pick<ArchivedFile, 'size' | 'sha256'>> {
  createDirectory(dirname(path))
  const hash = createHash('sha256')
  const file = createWriteStream(path, { mode: FILE_MODE })
  const closed = finished(file)
  closed.catch(() => undefined)
  let size = 0
  for await (const piece of entry) {
    hash.update(piece)
    size += piece.length
    if (!file.write(piece)) await Promise.race([once(file, 'drain'), closed])
  }
  file.end()
  await closed
  return { size, sha256: hash.digest('hex') }
}
