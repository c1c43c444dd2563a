import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCRC32 } from 'hash-wasm'
import { TimeSlice } from '../encoding/timeSlice.js'
import { DataDirectoryError } from './errors.js'

/**
 * LevelDB writes checksums, but verifies those of tables only on request, which its Node bindings never make, and
 * silently drops the rest of a damaged log. So its files are checked here: see LevelDB's doc/log_format.md and
 * doc/table_format.md.
 */

/** Bytes of tables checked before a database is opened; the rest is checked while it is in use. */
const CHECKED_AT_ONCE = 2 * 1024 * 1024
/** Pause between two tables checked while the database is in use. */
const PAUSE_MILLISECONDS = 20

const LOG_BLOCK_LENGTH = 32_768
/** Header of a log record: checksum (4), length (2), type (1). */
const LOG_HEADER_LENGTH = 7
const FOOTER_LENGTH = 48
const TABLE_MAGIC = 0xdb4775248b80fb57n
/** Trailer of a table block: compression (1), checksum (4). */
const TRAILER_LENGTH = 5

type Checksum = (bytes: Uint8Array) => number

/** Tables of a database that remain to be checked. */
export interface UncheckedTables {
  /**
   * Checks them, a little at a time.
   *
   * @throws DataDirectoryError if one is damaged
   */
  check(signal: AbortSignal): Promise<void>
}

/**
 * Checks the files of a LevelDB database that no process has open: all logs, and the newest tables.
 *
 * @throws DataDirectoryError naming a damaged file
 */
export async function checkLevelFiles(directory: string): Promise<UncheckedTables> {
  const names = await readdir(directory).catch(() => [])
  const checksum = await createChecksum()
  for (const name of names.filter((each) => each.endsWith('.log') || each.startsWith('MANIFEST-'))) {
    await checkFile(join(directory, name), { checksum, find: damageInLog })
  }
  const named = await liveTables(directory, names)
  // Names are ascending numbers. LevelDB deletes tables that no manifest names: a kill interrupted their writing.
  const tables = names.filter((name) => name.endsWith('.ldb') && named.has(Number.parseInt(name))).sort()
  for (let bytes = 0; bytes < CHECKED_AT_ONCE;) {
    const name = tables.pop()
    if (name === undefined) break
    bytes += await checkFile(join(directory, name), { checksum, find: damageInTable })
  }
  return {
    async check(signal) {
      const slice = new TimeSlice()
      for (let name = tables.pop(); name !== undefined && !signal.aborted; name = tables.pop()) {
        await checkFile(join(directory, name), { checksum, find: damageInTable })
        await slice.pause()
        await sleep(PAUSE_MILLISECONDS, undefined, { ref: false })
      }
    },
  }
}

/** Reads a file; empty if LevelDB has deleted it, as it does when it merges tables and begins new manifests. */
async function readIfExists(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
}

/** Checks a file and returns its length. */
async function checkFile(
  path: string,
  { checksum, find }: { checksum: Checksum; find: (file: Buffer, checksum: Checksum) => number | undefined },
): Promise<number> {
  const file = await readIfExists(path)
  const position = file.length === 0 ? undefined : find(file, checksum)
  if (position === undefined) return file.length
  throw new DataDirectoryError(
    `${path} is damaged at byte ${position}. Restore the data directory from a copy, or delete it to start anew.`,
  )
}

/** Creates LevelDB's CRC-32C: rotated and offset, so that checksums of checksums differ. */
async function createChecksum(): Promise<Checksum> {
  const hasher = await createCRC32(0x82f63b78)
  return (bytes) => {
    const crc = Buffer.from(hasher.init().update(bytes).digest('binary')).readUInt32BE(0)
    return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
  }
}

/** Returns the position of the damage in a log. A record cut off at the end was never acknowledged. */
function damageInLog(log: Buffer, checksum: Checksum): number | undefined {
  for (let position = 0; position + LOG_HEADER_LENGTH <= log.length;) {
    const remaining = LOG_BLOCK_LENGTH - (position % LOG_BLOCK_LENGTH)
    if (remaining < LOG_HEADER_LENGTH) {
      position += remaining
      continue
    }
    const length = log.readUInt16LE(position + 4)
    const end = position + LOG_HEADER_LENGTH + length
    if (length > remaining - LOG_HEADER_LENGTH) return position
    if (end > log.length) return undefined
    if (checksum(log.subarray(position + 6, end)) !== log.readUInt32LE(position)) {
      return log.subarray(position).every((byte) => byte === 0) ? undefined : position
    }
    position = end
  }
  return undefined
}

/** Log record types: a whole record, and the last part of one that spans several blocks. */
const WHOLE_RECORD = 1
const LAST_PART = 4

/** Yields the records of an intact log. One cut off at the end was never acknowledged. */
function* recordsOf(log: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let position = 0; position + LOG_HEADER_LENGTH <= log.length;) {
    const remaining = LOG_BLOCK_LENGTH - (position % LOG_BLOCK_LENGTH)
    if (remaining < LOG_HEADER_LENGTH) {
      position += remaining
      continue
    }
    const start = position + LOG_HEADER_LENGTH
    position = start + log.readUInt16LE(position + 4)
    if (position > log.length) return
    parts.push(log.subarray(start, position))
    const type = log[start - 1]
    if (type !== WHOLE_RECORD && type !== LAST_PART) continue
    yield Buffer.concat(parts)
    parts = []
  }
}

/** Tags of manifest entries (LevelDB, db/version_edit.cc). */
const tags = { comparator: 1, compactPointer: 5, deletedFile: 6, newFile: 7 } as const

/** Returns the numbers of a database's current tables, from its manifests. */
async function liveTables(directory: string, names: readonly string[]): Promise<Set<number>> {
  const tables = new Set<number>()
  for (const name of names.filter((each) => each.startsWith('MANIFEST-')).sort()) {
    for (const record of recordsOf(await readIfExists(join(directory, name)))) {
      const reader = new VarintReader(record, 0)
      while (reader.position < record.length) {
        const tag = reader.next()
        if (tag === tags.comparator) reader.skip()
        else if (tag === tags.compactPointer) {
          reader.next()
          reader.skip()
        } else if (tag === tags.deletedFile) {
          reader.next()
          tables.delete(reader.next())
        } else if (tag === tags.newFile) {
          reader.next()
          tables.add(reader.next())
          reader.next()
          reader.skip()
          reader.skip()
        } else reader.next()
      }
    }
  }
  return tables
}

/** Position of a block in a table file. */
interface BlockHandle {
  offset: number
  length: number
}

/** Returns the position of the damage in a table. */
function damageInTable(table: Buffer, checksum: Checksum): number | undefined {
  const footer = table.length - FOOTER_LENGTH
  if (footer < 0 || table.readBigUInt64LE(table.length - 8) !== TABLE_MAGIC) return Math.max(footer, 0)
  const reader = new VarintReader(table, footer)
  const metaIndex = reader.handle()
  const index = reader.handle()
  for (const block of [metaIndex, index]) {
    if (!isBlockIntact(table, block, checksum)) return block.offset
    for (const inner of handlesOf(table, block)) {
      if (!isBlockIntact(table, inner, checksum)) return inner.offset
    }
  }
  return undefined
}

function isBlockIntact(table: Buffer, { offset, length }: BlockHandle, checksum: Checksum): boolean {
  const end = offset + length
  if (!(end + TRAILER_LENGTH <= table.length)) return false
  return checksum(table.subarray(offset, end + 1)) === table.readUInt32LE(end + 1)
}

/** Returns the blocks that an index names. A compressed index yields none: new tables are not compressed. */
function handlesOf(table: Buffer, { offset, length }: BlockHandle): BlockHandle[] {
  const end = offset + length
  if (table[end] !== 0) return []
  const restarts = table.readUInt32LE(end - 4)
  const entriesEnd = end - 4 * (restarts + 1)
  const handles: BlockHandle[] = []
  const reader = new VarintReader(table, offset)
  while (reader.position < entriesEnd) {
    reader.next()
    const keyLength = reader.next()
    const valueLength = reader.next()
    const valueStart = reader.position + keyLength
    handles.push(new VarintReader(table, valueStart).handle())
    reader.position = valueStart + valueLength
  }
  return handles
}

class VarintReader {
  readonly #bytes: Buffer
  position: number

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes
    this.position = position
  }

  /** Skips length-prefixed bytes. */
  skip(): void {
    const length = this.next()
    this.position += length
  }

  /** Reads a varint: seven bits per byte, lowest first. */
  next(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.position++] ?? 0
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }

  handle(): BlockHandle {
    return { offset: this.next(), length: this.next() }
  }
}
