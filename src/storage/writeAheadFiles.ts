import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppendFile } from './appendFile.js'
import type { Level } from './level.js'
import { RECORD_END_KEY } from './keyspace.js'
import { Overlay } from './overlay.js'

/** The path of a write-ahead file; each has the next generation of the one before. */
export function writeAheadPath(directory: string, generation: number): string {
  return join(directory, `write-ahead-${String(generation).padStart(10, '0')}.log`)
}

/** What write-ahead files hold that LevelDB does not have yet. */
export interface Recovered {
  /** The oldest first. */
  overlays: Overlay[]
  /** Up to where the record file is filled. */
  recordEnd: number
  /** Of the next file. */
  generation: number
}

/** Takes up what the write-ahead files hold; LevelDB gets it in the background, as what is written from now on. */
export function recoverWriteAhead(level: Level, directory: string): Recovered {
  const stored = level.getSync(RECORD_END_KEY)
  let recordEnd = stored === undefined ? 0 : Buffer.from(stored).readDoubleLE(0)
  const generations = writeAheadGenerations(directory)
  const overlays = generations.map((generation) => {
    const path = writeAheadPath(directory, generation)
    const overlay = Overlay.recover((length) => new AppendFile({ path, length }), {
      path,
      bytes: readFileSync(path),
      recordEnd,
    })
    recordEnd = overlay.recordEnd
    return overlay
  })
  return { overlays, recordEnd, generation: (generations.at(-1) ?? -1) + 1 }
}

function writeAheadGenerations(directory: string): number[] {
  const names = readdirSync(directory).map((name) => /^write-ahead-(\d+)\.log$/.exec(name)?.[1])
  return names.flatMap((digits) => (digits === undefined ? [] : [Number(digits)])).sort((a, b) => a - b)
}
