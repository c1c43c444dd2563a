import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE = Buffer.alloc(1024 * 1024, 1)

/**
 * Writes a file and removes it. The host of a virtual machine allocates memory on first use, and filling such memory
 * takes ten times as long as refilling it. Files written right afterwards reuse the memory of this one, so the host is
 * not measured. Call this just before the measurement: memory that stays free for some seconds may return to the host.
 */
export function useMemory(mebibytes) {
  const directory = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  const file = openSync(join(directory, 'memory'), 'w')
  try {
    for (let written = 0; written < mebibytes; written++) writeSync(file, PIECE)
  } finally {
    closeSync(file)
    rmSync(directory, { recursive: true })
  }
}

/**
 * Reads all files of a directory once. On a dedicated machine recent writes stay cached; the host of a virtual machine
 * may reclaim pages that were not read for half a minute.
 */
export function readFiles(directory) {
  const piece = Buffer.allocUnsafe(PIECE.length)
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    try {
      const file = openSync(join(entry.parentPath ?? entry.path, entry.name))
      while (readSync(file, piece) > 0);
      closeSync(file)
    } catch (error) {
      // A node may have removed the file in the meantime.
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/**
 * Waits until all writes are on disk. Otherwise a node that writes gigabytes slows down the next one that writes
 * kilobytes: Linux throttles every writer while too many dirty pages are outstanding.
 */
export function syncDisks() {
  try {
    execFileSync('sync')
  } catch (error) {
    // Some systems lack the command.
    if (error.code !== 'ENOENT') throw error
  }
}
