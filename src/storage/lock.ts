import { linkSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { FILE_MODE, createDirectory } from './directories.js'
import { DataDirectoryError } from './errors.js'
import { type Owner, isRunning, isSameProcess, parseOwner, thisProcess } from './owner.js'

const LOCK_FILE = 'lock'
const ATTEMPTS = 5

const heldByThisProcess = new Set<string>()

/** Keeps other processes out of a data directory. */
export interface DirectoryLock {
  release(): void
}

/**
 * Locks a data directory for this process, creating it if missing. Takes over the lock of a dead process.
 *
 * The file only says who holds the lock. What keeps two processes apart, even in different containers on one volume,
 * is the operating system's lock that LevelDB holds inside.
 *
 * @throws DataDirectoryError if this or another process already holds it
 */
export function lockDirectory(directory: string): DirectoryLock {
  createDirectory(directory)
  // Resolve aliases of the directory: LevelDB would admit one process through each.
  const path = join(realpathSync(directory), LOCK_FILE)
  if (heldByThisProcess.has(path)) {
    throw new DataDirectoryError(`The data directory ${directory} is already open in this process.`)
  }
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(thisProcess()), { mode: FILE_MODE })
  try {
    takeOver(path, draft, directory)
  } finally {
    rmSync(draft, { force: true })
  }
  heldByThisProcess.add(path)
  return {
    release() {
      heldByThisProcess.delete(path)
      const owner = lockOwner(dirname(path))
      if (owner !== undefined && isSameProcess(owner, thisProcess())) rmSync(path, { force: true })
    },
  }
}

/** Returns the owner of a data directory's lock, alive or not; undefined if it is not locked. */
export function lockOwner(directory: string): Owner | undefined {
  try {
    return parseOwner(readFileSync(join(directory, LOCK_FILE), 'utf8'))
  } catch {
    return undefined
  }
}

/** Returns whether a process of this machine, perhaps this one, has a data directory open. */
export function isLocked(directory: string): boolean {
  const owner = lockOwner(directory)
  return owner !== undefined && owner.host === hostname() && isRunning(owner)
}

/** Links the draft into the lock's place. Only one process can: link fails if the name exists. */
function takeOver(path: string, draft: string, directory: string): void {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      linkSync(draft, path)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = lockOwner(directory)
    if (owner !== undefined && isAlive(owner)) {
      throw new DataDirectoryError(
        `The data directory ${directory} is in use by process ${owner.pid}. ` +
          'Stop that process, or choose another directory.',
      )
    }
    setAside(path, `${draft}.stale`)
  }
  throw new DataDirectoryError(`Could not lock the data directory ${directory}: others keep taking it.`)
}

/** Moves a dead process's lock out of the way. If a living process has replaced it meanwhile, it goes back. */
function setAside(path: string, aside: string): void {
  try {
    renameSync(path, aside)
    const owner = parseOwner(readFileSync(aside, 'utf8'))
    if (owner !== undefined && isAlive(owner)) linkSync(aside, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Processes of other hosts count as dead; LevelDB's own lock protects against one that is alive on this machine. */
function isAlive(owner: Owner): boolean {
  return owner.host === hostname() && !isSameProcess(owner, thisProcess()) && isRunning(owner)
}
