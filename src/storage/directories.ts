import { closeSync, fsyncSync, mkdirSync, openSync, statSync, statfsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Mode of files in a data directory: read and write for the owner only. */
export const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700

/** Creates a directory inside a data directory, and its parents, unless they exist. */
export function createDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE })
}

/**
 * Waits until the names in a directory are on the medium: the bytes of a new file can be there before its name is
 * (fsync(2)). Windows writes names by itself, and cannot open directories.
 */
export function syncDirectory(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Returns whether a directory's file system has at least `bytes` free; true if it cannot tell. */
export function hasRoom(path: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= bytes
  } catch {
    return true
  }
}

/**
 * Returns whether a file has another name. Data directories created from the same archive share files this way. Such
 * a file must never be written to.
 */
export function hasOtherNames(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.nlink > 1
}

/** Returns where this user's programs keep reproducible files for `purpose` (XDG Base Directory Specification). */
export function userCacheDirectory(purpose: string): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homeDirectory(), '.cache'), 'standin', purpose)
}

/** A user missing from the system's user list, as in some containers, has no home directory. */
function homeDirectory(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}
