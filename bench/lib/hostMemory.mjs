import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PIECE = Buffer.alloc(1024 * 1024, 1)

/**
 * Writes a file and removes it. The host of a virtual machine backs memory when it is used for the first time, and
 * filling such memory takes ten times as long as filling it again: files that are written right after it lie in the
 * memory of this one, and it is not the host that is measured. Memory that is free for some seconds may go back to it.
 */
export function useMemory(mebibytes) {
  const folder = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  const file = openSync(join(folder, 'memory'), 'w')
  try {
    for (let written = 0; written < mebibytes; written++) writeSync(file, PIECE)
  } finally {
    closeSync(file)
    rmSync(folder, { recursive: true })
  }
}

/**
 * Reads all files of a folder once. What was written last stays in the memory of a machine of one's own; the host of a
 * virtual machine may take from it what was not read for half a minute.
 */
export function readFiles(folder) {
  const piece = Buffer.allocUnsafe(PIECE.length)
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    try {
      const file = openSync(join(entry.parentPath ?? entry.path, entry.name))
      while (readSync(file, piece) > 0);
      closeSync(file)
    } catch (error) {
      // A node may remove a file meanwhile.
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/**
 * Waits until everything that was written is on the medium. A node that writes gigabytes slows down the next one that
 * writes kilobytes: Linux makes all who write wait for what is not on the medium yet.
 */
export function syncDisks() {
  try {
    execFileSync('sync')
  } catch (error) {
    // Not every system has the command.
    if (error.code !== 'ENOENT') throw error
  }
}
