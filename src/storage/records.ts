import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { plainBytes } from './plainBytes.js'
import { AppendFile } from './appendFile.js'
import { DataDirectoryError, StorageWriteError } from './errors.js'
import { syncDirectory } from './syncDirectory.js'

/**
 * Where a record begins: the number of its segment times 2^30, plus the offset within the segment.
 *
 * A safe integer below 2^48, so that six bytes hold it.
 */
export type RecordPosition = number

const SEGMENT_SPAN = 2 ** 30
const DEFAULT_SEGMENT_BYTES = 256 * 1024 * 1024
const OPEN_SEGMENTS = 8

/** Bytes of a record that is made of pieces. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}

/** How a record file is opened. */
export interface RecordStoreOptions {
  directory: string
  /** Up to where records are valid; what lies behind was never referred to and is cut off. */
  end: RecordPosition
  /** A segment that has reached this size is not written to any more; at most 2^30. */
  segmentBytes?: number
}

/**
 * Bulk bytes that are written once and never through LevelDB: an append-only file in segments.
 *
 * Every read goes to the file; the operating system's page cache is the cache.
 */
export class RecordStore {
  readonly #directory: string
  readonly #segmentBytes: number
  #segment: number
  #file: AppendFile
  /** Whether the names of all segments are on the medium. */
  #isNamed = false
  readonly #readers = new Map<number, number>()

  constructor({ directory, end, segmentBytes = DEFAULT_SEGMENT_BYTES }: RecordStoreOptions) {
    this.#directory = directory
    this.#segmentBytes = segmentBytes
    mkdirSync(directory, { recursive: true })
    this.#segment = Math.floor(end / SEGMENT_SPAN)
    this.#removeSegmentsBehind(this.#segment)
    this.#checkLength(end % SEGMENT_SPAN)
    this.#file = new AppendFile({ path: this.#pathOf(this.#segment), length: end % SEGMENT_SPAN })
  }

  /** Where the next record goes if it still fits into the segment; all records lie before it. */
  get end(): RecordPosition {
    return this.#segment * SEGMENT_SPAN + this.#file.length
  }

  /**
   * Where a record of so many bytes begins if it is the next one that is appended.
   *
   * @throws StorageWriteError if the disk refuses.
   */
  placeFor(length: number): RecordPosition {
    if (length > SEGMENT_SPAN)
      throw new RangeError(`A record has at most ${SEGMENT_SPAN} bytes, not ${length}`)
    if (this.#file.length > 0 && this.#file.length + length > this.#segmentBytes) {
      try {
        this.#startSegment()
      } catch (cause) {
        throw new StorageWriteError('Could not append to the record file', { cause })
      }
    }
    return this.end
  }

  /**
   * Appends one record and returns where it begins, as {@link placeFor} said. Durable together with the batch that is
   * written next.
   *
   * @throws StorageWriteError if the disk refuses.
   */
  append(pieces: readonly Uint8Array[]): RecordPosition {
    const position = this.placeFor(lengthOf(pieces))
    try {
      this.#file.append(pieces)
    } catch (cause) {
      throw new StorageWriteError('Could not append to the record file', { cause })
    }
    return position
  }

  /**
   * Waits until everything that was appended, and the name of its file, are on the medium.
   *
   * @throws StorageWriteError if the disk refuses.
   */
  sync(): void {
    try {
      this.#file.sync()
      if (this.#isNamed) return
      syncDirectory(this.#directory)
      this.#isNamed = true
    } catch (cause) {
      throw new StorageWriteError('Could not bring the record file to the medium', { cause })
    }
  }

  /** Reads `length` bytes from `offset` bytes behind a record's beginning, into memory of their own. */
  read(position: RecordPosition, offset: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length)
    this.#fill(bytes, position, offset)
    return plainBytes(bytes)
  }

  /** How many bytes lie before a position in its segment. */
  offsetOf(position: RecordPosition): number {
    return position % SEGMENT_SPAN
  }

  /**
   * Fills memory with what lies from a position on, as far as its segment goes.
   *
   * @returns how many bytes there are; fewer than the memory has only where the segment ends
   */
  readInto(memory: Uint8Array, position: RecordPosition): number {
    const segment = Math.floor(position / SEGMENT_SPAN)
    const start = position % SEGMENT_SPAN
    // Behind the valid end there may be what a failed append left.
    const valid = segment === this.#segment ? this.#file.length - start : memory.length
    const wanted = Math.min(memory.length, Math.max(0, valid))
    const descriptor = this.#reader(segment)
    for (let filled = 0; ;) {
      const count =
        filled < wanted ? readSync(descriptor, memory, filled, wanted - filled, start + filled) : 0
      if (count === 0) return filled
      filled += count
    }
  }

  #fill(bytes: Uint8Array, position: RecordPosition, offset: number): void {
    const descriptor = this.#reader(Math.floor(position / SEGMENT_SPAN))
    const start = (position % SEGMENT_SPAN) + offset
    const { length } = bytes
    let filled = 0
    while (filled < length) {
      const count = readSync(descriptor, bytes, filled, length - filled, start + filled)
      if (count === 0) throw new DataDirectoryError(`The record file ends before byte ${start + length}`)
      filled += count
    }
  }

  close(): void {
    this.#file.close()
    for (const descriptor of this.#readers.values()) closeSync(descriptor)
    this.#readers.clear()
  }

  #pathOf(segment: number): string {
    return join(this.#directory, `${String(segment).padStart(6, '0')}.rec`)
  }

  #startSegment(): void {
    const file = new AppendFile({ path: this.#pathOf(this.#segment + 1), length: 0 })
    syncDirectory(this.#directory)
    this.#file.sync()
    this.#file.close()
    this.#file = file
    this.#segment++
  }

  #reader(segment: number): number {
    const open = this.#readers.get(segment)
    const descriptor = open ?? openSync(this.#pathOf(segment), 'r')
    this.#readers.delete(segment)
    this.#readers.set(segment, descriptor)
    if (this.#readers.size > OPEN_SEGMENTS) {
      const [oldest] = this.#readers
      if (oldest !== undefined) {
        this.#readers.delete(oldest[0])
        closeSync(oldest[1])
      }
    }
    return descriptor
  }

  #removeSegmentsBehind(last: number): void {
    for (const name of readdirSync(this.#directory)) {
      const match = /^(\d+)\.rec$/.exec(name)
      if (match !== null && Number(match[1]) > last) rmSync(join(this.#directory, name))
    }
  }

  #checkLength(expected: number): void {
    if (expected === 0) return
    const path = this.#pathOf(this.#segment)
    let length = 0
    try {
      const descriptor = openSync(path, 'r')
      length = fstatSync(descriptor).size
      closeSync(descriptor)
    } catch {
      // A segment that is not there has no bytes.
    }
    if (length >= expected) return
    throw new DataDirectoryError(
      `${path} has ${length} bytes where the database refers to ${expected}: the data directory is damaged. ` +
        'Restore it from a copy, or delete it to start anew.',
    )
  }
}
