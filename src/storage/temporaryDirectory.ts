import { mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockOwner } from './lock.js'
import { isRunning } from './owner.js'

const PREFIX = 'standin-data-'

/** Creates an empty directory for a node that was given none. The process that locks it owns it. */
export function createTemporaryDirectory(parent = tmpdir()): string {
  return mkdtempSync(join(parent, PREFIX))
}

/** Removes a temporary data directory and its content. */
export async function removeTemporaryDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * Removes temporary data directories whose owner is gone: those of killed processes.
 *
 * Directories that are not locked yet, or locked by a process of another host, stay, as does what cannot be removed.
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
