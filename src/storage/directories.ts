import { closeSync, fsyncSync, mkdirSync, openSync, statSync, statfsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The mode of files in a data directory: its owner alone reads and writes them. */
export const FILE_MODE = 0o600
const DIRECTORY_MODE = 0o700

/** Creates a directory of a data directory, and those above it, unless they exist. */
export function createDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE })
}

/**
 * Waits until the names in a directory are on the medium: the bytes of a new file can be there while its name is not
 * (fsync(2)). Windows writes names by itself, and opens no directories.
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

/** Whether a directory's file system has so many bytes left; one that does not tell is believed to have. */
export function hasRoom(path: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize >= bytes
  } catch {
    return true
  }
}

/**
 * Whether a file has another name: data directories that began from one archive share their files so. It is read, and
 * never written to.
 */
export function hasOtherNames(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true && found.nlink > 1
}

/** Where this user's programs keep what can be made again (XDG Base Directory Specification), for one purpose. */
export function userCacheDirectory(purpose: string): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homeDirectory(), '.cache'), 'standin', purpose)
}

/** A user without an entry in the system's list of users, as in some containers, has none. */
function homeDirectory(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}
