import { closeSync, fsyncSync, mkdirSync, openSync, statfsSync } from 'node:fs'

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
