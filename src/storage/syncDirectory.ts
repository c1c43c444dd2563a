import { closeSync, fsyncSync, openSync } from 'node:fs'

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
