import {
  linkSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { FILE_MODE, createDirectory } from './directories.js'
import { DataDirectoryError } from './errors.js'

const LOCK_FILE = 'lock'
const ATTEMPTS = 5

const heldByThisProcess = new Set<string>()

/** What keeps other processes out of a data directory. */
export interface DirectoryLock {
  release(): void
}

/**
 * Takes a data directory for this process, creating it if it is not there. A lock that a dead process left behind
 * is taken over.
 *
 * The file says who; what finally keeps two processes apart, also from different containers on one volume, is the
 * operating system's lock that LevelDB holds inside.
 *
 * @throws DataDirectoryError if another process, or this one, has it already.
 */
export function lockDirectory(directory: string): DirectoryLock {
  createDirectory(directory)
  // One name for a directory that has several: LevelDB would let one process in by each.
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

/** The owner of a data directory's lock, alive or not; undefined if it is not locked. */
export function lockOwner(directory: string): Owner | undefined {
  try {
    return parseOwner(readFileSync(join(directory, LOCK_FILE), 'utf8'))
  } catch {
    return undefined
  }
}

/** Whether a process of this machine, perhaps this one, has a data directory open. */
export function isLocked(directory: string): boolean {
  const owner = lockOwner(directory)
  return owner !== undefined && owner.host === hostname() && isRunning(owner)
}

/** Puts the draft in the lock's place, which only one process can: a link to a name that exists fails. */
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
          'Stop that process, or give this one another directory.',
      )
    }
    setAside(path, `${draft}.stale`)
  }
  throw new DataDirectoryError(`Could not lock the data directory ${directory}: others keep taking it.`)
}

/** Takes a dead process' lock out of the way; one that a living process put there in the meantime goes back. */
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

/** Of another host's process nothing is known here; LevelDB's own lock tells whether it lives on this machine. */
function isAlive(owner: Owner): boolean {
  return owner.host === hostname() && !isSameProcess(owner, thisProcess()) && isRunning(owner)
}

/** A process, told apart from a later one that was given the same number. */
export interface Owner {
  pid: number
  host: string
  /** When the process began, in the system's own unit; null where the system does not say. */
  started: string | null
}

/** This process. */
export function thisProcess(): Owner {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid) }
}

/** Whether two descriptions are of the same process. */
export function isSameProcess(a: Owner, b: Owner): boolean {
  return a.pid === b.pid && a.host === b.host && a.started === b.started
}

/** Whether a process of this host still runs. */
export function isRunning({ pid, started }: Owner): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: there is one, and it is another user's.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const startNow = startOf(pid)
  return started === null || startNow === null || started === startNow
}

/** An owner from its JSON, or undefined if it is none. */
export function parseOwner(json: string): Owner | undefined {
  try {
    const { pid, host, started } = JSON.parse(json) as Partial<Owner>
    if (typeof pid !== 'number' || typeof host !== 'string') return undefined
    return { pid, host, started: typeof started === 'string' ? started : null }
  } catch {
    return undefined
  }
}

/** The 22nd field of Linux' /proc/<pid>/stat (proc_pid_stat(5)): clock ticks from the start of the system. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

const PREFIX = 'standin-data-'

/** A new empty directory for a node that was given none. The process that locks it is its owner. */
export function createTemporaryDirectory(parent = tmpdir()): string {
  return mkdtempSync(join(parent, PREFIX))
}

/** Removes a temporary data directory with all that is in it. */
export async function removeTemporaryDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * Removes the temporary data directories whose owner is gone: those of processes that were killed.
 *
 * One that is not locked yet, or is locked by a process of another host, is left alone. What cannot be removed stays.
 */
export async function sweepTemporaryDirectories(parent = tmpdir()): Promise<void> {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(PREFIX)) continue
    const directory = join(parent, name)
    const owner = lockOwner(directory)
    if (owner === undefined || owner.host !== hostname() || isRunning(owner)) continue
    await removeTemporaryDirectory(directory).catch(() => undefined)
  }
}
