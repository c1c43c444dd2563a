import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The formats of LevelDB's files: see its doc/log_format.md, doc/table_format.md and db/version_edit.cc. */

export const LOG_BLOCK_LENGTH = 32_768
/** Header of a log record: checksum (4), length (2), type (1). */
export const LOG_HEADER_LENGTH = 7
/** Footer of a table: the places of two blocks, and a magic number. */
export const FOOTER_LENGTH = 48
/** Trailer of a table block: compression (1), checksum (4). */
export const TRAILER_LENGTH = 5

/** Log record types: a whole record, and the last part of one that spans several blocks. */
const WHOLE_RECORD = 1
const LAST_PART = 4

/** Yields the records of an intact log and where they end. One cut off at the end was never acknowledged. */
function* recordsOf(log: Buffer, from: number): Generator<{ record: Buffer; end: number }> {
  let parts: Buffer[] = []
  for (let position = from; position + LOG_HEADER_LENGTH <= log.length;) {
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
    yield { record: Buffer.concat(parts), end: position }
    parts = []
  }
}

/** Tags of manifest entries. */
const tags = { comparator: 1, compactPointer: 5, deletedFile: 6, newFile: 7 } as const

/** A table of a database. */
export interface TableFile {
  number: number
  /** In bytes. */
  size: number
  /** Its first and its last key, each followed by a sequence number (7 bytes) and a type. */
  smallest: Uint8Array
  largest: Uint8Array
}

/**
 * Applies the changes that a manifest records, from a record on, to a database's tables by number.
 *
 * @returns the end of its last record
 */
export function applyManifest(manifest: Buffer, tables: Map<number, TableFile>, from = 0): number {
  let applied = from
  for (const { record, end } of recordsOf(manifest, from)) {
    const reader = new VarintReader(record, 0)
    while (reader.position < record.length) {
      const tag = reader.next()
      if (tag === tags.comparator) reader.bytes()
      else if (tag === tags.compactPointer) {
        reader.next()
        reader.bytes()
      } else if (tag === tags.deletedFile) {
        reader.next()
        tables.delete(reader.next())
      } else if (tag === tags.newFile) {
        reader.next()
        const number = reader.next()
        tables.set(number, { number, size: reader.next(), smallest: reader.bytes(), largest: reader.bytes() })
      } else reader.next()
    }
    applied = end
  }
  return applied
}

/** The tables of a database that is open. */
export class CurrentTables {
  readonly #directory: string
  readonly #tables = new Map<number, TableFile>()
  /** The manifest, and how much of it is applied. */
  #name = ''
  #position = 0

  constructor(directory: string) {
    this.#directory = directory
  }

  /** Returns the tables after applying what the manifest has gained since. */
  list(): TableFile[] {
    const name = readFileSync(join(this.#directory, 'CURRENT'), 'latin1').trim()
    if (name !== this.#name) {
      this.#tables.clear()
      this.#name = name
      this.#position = 0
    }
    const manifest = readFileSync(join(this.#directory, name))
    this.#position = applyManifest(manifest, this.#tables, this.#position)
    return [...this.#tables.values()]
  }
}

/** Position of a block in a table file. */
export interface BlockHandle {
  offset: number
  length: number
}

/** Reads numbers as LevelDB writes them. */
export class VarintReader {
  readonly #bytes: Buffer
  position: number

  constructor(bytes: Buffer, position: number) {
    this.#bytes = bytes
    this.position = position
  }

  /** Reads length-prefixed bytes. */
  bytes(): Uint8Array {
    const length = this.next()
    this.position += length
    return this.#bytes.subarray(this.position - length, this.position)
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
