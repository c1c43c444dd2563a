import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCRC32 } from 'hash-wasm'
import { TimeSlice } from '../encoding/timeSlice.js'
import { DataDirectoryError } from './errors.js'

/**
 * LevelDB writes checksums into its files, but checks those of tables only on request, which its bindings for Node do not
 * make, and drops the rest of a damaged log in silence. So the files are checked here: see doc/log_format.md and
 * doc/table_format.md of LevelDB.
 */

/** Bytes of tables that are checked before a database is opened; the others are checked while it is used. */
const CHECKED_AT_ONCE = 8 * 1024 * 1024
/** Between two tables that are checked while the database is used. */
const PAUSE_MILLISECONDS = 20

const LOG_BLOCK_LENGTH = 32_768
/** Of a record in a log: checksum (4), length (2), type (1). */
const LOG_HEADER_LENGTH = 7
const FOOTER_LENGTH = 48
const TABLE_MAGIC = 0xdb4775248b80fb57n
/** Behind a block of a table: compression (1), checksum (4). */
const TRAILER_LENGTH = 5

type Checksum = (bytes: Uint8Array) => number

/** The tables of a database that are still to be checked. */
export interface UncheckedTables {
  /**
   * Checks them, a little at a time.
   *
   * @throws DataDirectoryError if one is damaged.
   */
  check(signal: AbortSignal): Promise<void>
}

/**
 * Checks the files of a LevelDB database that no process has open: all logs, and the newest tables.
 *
 * @throws DataDirectoryError that names a damaged file.
 */
export async function checkLevelFiles(directory: string): Promise<UncheckedTables> {
  const names = await readdir(directory).catch(() => [])
  const checksum = await createChecksum()
  for (const name of names.filter((each) => each.endsWith('.log') || each.startsWith('MANIFEST-'))) {
    await checkFile(join(directory, name), { checksum, find: damageInLog })
  }
  const named = await namedTables(directory, names)
  // Names are numbers that rise. LevelDB deletes those that no manifest names: a kill has interrupted their writing.
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

/** The bytes of a file; none where LevelDB has deleted it, as it merges tables and begins new manifests. */
async function readIfThere(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0)
    throw error
  })
}

/** Checks a file, and returns its length. */
async function checkFile(
  path: string,
  { checksum, find }: { checksum: Checksum; find: (file: Buffer, checksum: Checksum) => number | undefined },
): Promise<number> {
  const file = await readIfThere(path)
  const position = file.length === 0 ? undefined : find(file, checksum)
  if (position === undefined) return file.length
  throw new DataDirectoryError(
    `${path} is damaged at byte ${position}. Restore the data directory from a copy, or delete it to start anew.`,
  )
}

/** CRC-32C as LevelDB stores it: rotated and moved, so that checksums of checksums differ. */
async function createChecksum(): Promise<Checksum> {
  const hasher = await createCRC32(0x82f63b78)
  return (bytes) => {
    const crc = Buffer.from(hasher.init().update(bytes).digest('binary')).readUInt32BE(0)
    return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
  }
}

/** Where a log is damaged. A record that is cut off at its end was never acknowledged. */
function damageInLog(log: Buffer, checksum: Checksum): number | undefined {
  for (let position = 0; position + LOG_HEADER_LENGTH <= log.length;) {
    const left = LOG_BLOCK_LENGTH - (position % LOG_BLOCK_LENGTH)
    if (left < LOG_HEADER_LENGTH) {
      position += left
      continue
    }
    const length = log.readUInt16LE(position + 4)
    const end = position + LOG_HEADER_LENGTH + length
    if (length > left - LOG_HEADER_LENGTH) return position
    if (end > log.length) return undefined
    if (checksum(log.subarray(position + 6, end)) !== log.readUInt32LE(position)) {
      return log.subarray(position).every((byte) => byte === 0) ? undefined : position
    }
    position = end
  }
  return undefined
}

/** Of a record in a log: it is whole, or a part of one in several blocks that ends with the last type. */
const WHOLE_RECORD = 1
const LAST_PART = 4

/** The records of a log that is known to be intact. One that is cut off at the end was never acknowledged. */
function* recordsOf(log: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let position = 0; position + LOG_HEADER_LENGTH <= log.length;) {
    const left = LOG_BLOCK_LENGTH - (position % LOG_BLOCK_LENGTH)
    if (left < LOG_HEADER_LENGTH) {
      position += left
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

/** Tags of what a manifest says (LevelDB, db/version_edit.cc). */
const tags = { comparator: 1, compactPointer: 5, deletedFile: 6, newFile: 7 } as const

/** The numbers of the tables that a database consists of, from its manifests. */
async function namedTables(directory: string, names: readonly string[]): Promise<Set<number>> {
  const tables = new Set<number>()
  for (const name of names.filter((each) => each.startsWith('MANIFEST-')).sort()) {
    for (const record of recordsOf(await readIfThere(join(directory, name)))) {
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

/** Where a block of a table lies in its file. */
interface BlockHandle {
  offset: number
  length: number
}

/** Where a table is damaged. */
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

/** The blocks that an index names. One that is compressed names none here: new tables are not compressed. */
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

  /** Passes over bytes with their length in front. */
  skip(): void {
    const length = this.next()
    this.position += length
  }

  /** A number of seven bits a byte, the lowest first. */
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
