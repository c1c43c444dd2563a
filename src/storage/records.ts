import { closeSync, fstatSync, openSync, readSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { plainBytes } from '../encoding/hex.js'
import { AppendFile, FRAME_HEADER_LENGTH, frameHeaderOf, isPayloadOf, readFrameHeader } from './appendFile.js'
import { createDirectory, hasOtherNames, syncDirectory } from './directories.js'
import { DataDirectoryError, StorageWriteError } from './errors.js'

/**
 * Where the payload of a record begins: the number of its segment times 2^30, plus the offset within the segment.
 *
 * A safe integer below 2^48, so that six bytes hold it.
 */
export type RecordPosition = number

const SEGMENT_SPAN = 2 ** 30
const DEFAULT_SEGMENT_BYTES = 256 * 1024 * 1024
const OPEN_SEGMENTS = 8
/** So many records are remembered as checked. */
const CHECKED_RECORDS = 65_536

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
 * Bulk bytes that are written once and never through LevelDB: an append-only file of framed records, in segments.
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
  /** Where the file ended when it was opened. */
  readonly #openedEnd: RecordPosition
  /** Records that were found as they were written. */
  readonly #checked = new Set<RecordPosition>()

  constructor({ directory, end, segmentBytes = DEFAULT_SEGMENT_BYTES }: RecordStoreOptions) {
    this.#directory = directory
    this.#openedEnd = end
    this.#segmentBytes = segmentBytes
    createDirectory(directory)
    this.#segment = Math.floor(end / SEGMENT_SPAN)
    this.#removeSegmentsBehind(this.#segment)
    this.#checkLength(end % SEGMENT_SPAN)
    const isShared = hasOtherNames(this.#pathOf(this.#segment))
    if (isShared) this.#segment++
    const length = isShared ? 0 : end % SEGMENT_SPAN
    this.#file = new AppendFile({ path: this.#pathOf(this.#segment), length })
  }

  /** Where the next record goes if it still fits into the segment; all records lie before it. */
  get end(): RecordPosition {
    return this.#segment * SEGMENT_SPAN + this.#file.length
  }

  /**
   * Appends records in one write, each made of pieces, and returns where their payloads begin. Durable together with the
   * batch that is written next.
   *
   * @throws StorageWriteError if the disk refuses.
   */
  append(records: readonly (readonly Uint8Array[])[]): RecordPosition[] {
    const framed = records.flatMap((pieces) => [frameHeaderOf(pieces), ...pieces])
    const positions: RecordPosition[] = []
    try {
      this.#makeRoom(lengthOf(framed))
      let position = this.end
      for (const pieces of records) {
        positions.push(position + FRAME_HEADER_LENGTH)
        position += FRAME_HEADER_LENGTH + lengthOf(pieces)
      }
      this.#file.append(framed)
    } catch (cause) {
      throw new StorageWriteError('Could not append to the record file', { cause })
    }
    return positions
  }

  #makeRoom(length: number): void {
    if (length > SEGMENT_SPAN)
      throw new RangeError(`A record has at most ${SEGMENT_SPAN} bytes, not ${length}`)
    if (this.#file.length > 0 && this.#file.length + length > this.#segmentBytes) this.#startSegment()
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

  /**
   * Reads `length` bytes from `offset` bytes behind the beginning of a record's payload, into memory of their own.
   *
   * @throws DataDirectoryError if the record is damaged.
   */
  read(position: RecordPosition, offset: number, length: number): Uint8Array {
    this.check(position)
    const bytes = Buffer.allocUnsafeSlow(length)
    this.#fill(bytes, position, offset)
    return plainBytes(bytes)
  }

  /**
   * Makes sure that a record is as it was written. Records never change, so each is looked at once, and none that this
   * process has written.
   *
   * @param atHand - bytes from {@link FRAME_HEADER_LENGTH} bytes before the position on, where they were read already
   * @throws DataDirectoryError if the record is damaged.
   */
  check(position: RecordPosition, atHand?: Uint8Array): void {
    if (position >= this.#openedEnd || this.#checked.has(position)) return
    const headerBytes = atHand ?? this.#readAt(position - FRAME_HEADER_LENGTH, FRAME_HEADER_LENGTH)
    const header = headerBytes.length < FRAME_HEADER_LENGTH ? undefined : readFrameHeader(headerBytes, 0)
    if (header !== undefined) {
      const end = FRAME_HEADER_LENGTH + header.length
      const isWhole = atHand !== undefined && atHand.length >= end
      const payload = isWhole
        ? atHand.subarray(FRAME_HEADER_LENGTH, end)
        : this.#readAt(position, header.length)
      if (isPayloadOf(header, payload)) {
        if (this.#checked.size >= CHECKED_RECORDS) this.#checked.clear()
        this.#checked.add(position)
        return
      }
    }
    throw this.damageAt(position)
  }

  /** Says that what lies at a position is not what was written there. */
  damageAt(position: RecordPosition): DataDirectoryError {
    const path = this.#pathOf(Math.floor(position / SEGMENT_SPAN))
    return new DataDirectoryError(
      `${path} is damaged at byte ${position % SEGMENT_SPAN}. Restore the data directory from a copy.`,
    )
  }

  #readAt(position: RecordPosition, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length)
    return bytes.subarray(0, this.readInto(bytes, position))
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

/** Where a value lies in the record file. */
export interface BulkPlace {
  position: RecordPosition
  /** In bytes. */
  length: number
  /** CRC-32 of the value. */
  checksum: number
}

/** The length of a row: position (6), length (4) and checksum (4), little-endian. */
const ROW_LENGTH = 14

/** The row that stands in the key-value store for a value in the record file. */
export function encodeBulkRow({ position, length, checksum }: BulkPlace): Uint8Array {
  const bytes = new Uint8Array(ROW_LENGTH)
  // A dozen of these are written with every block: no view is made for each.
  const low = position >>> 0
  const high = Math.floor(position / 2 ** 32)
  putUint32(bytes, 0, low)
  bytes[4] = high
  bytes[5] = high >>> 8
  putUint32(bytes, 6, length)
  putUint32(bytes, 10, checksum)
  return bytes
}

/** Reads what {@link encodeBulkRow} wrote. */
export function decodeBulkRow(bytes: Uint8Array): BulkPlace {
  const high = bytes[4]! | (bytes[5]! << 8)
  return {
    position: high * 2 ** 32 + uint32At(bytes, 0),
    length: uint32At(bytes, 6),
    checksum: uint32At(bytes, 10),
  }
}

function uint32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value
  bytes[at + 1] = value >>> 8
  bytes[at + 2] = value >>> 16
  bytes[at + 3] = value >>> 24
}

/**
 * What was read last of the record file, with what lies before it. What is written together is mostly asked for together,
 * and the pieces from which the others are found come last: a read of such a piece brings its neighbours, where reads of
 * their own would each wait for the disk once memory no longer has them.
 */
export class RecordWindow {
  readonly #file: Pick<RecordStore, 'readInto' | 'offsetOf'>
  #memory = new Uint8Array(0)
  #bytes = this.#memory
  #position: RecordPosition = 0

  constructor(file: Pick<RecordStore, 'readInto' | 'offsetOf'>) {
    this.#file = file
  }

  /** A view on the bytes that are at hand from a position on, until the next {@link read}; undefined if there are none. */
  from(position: RecordPosition): Uint8Array | undefined {
    const start = position - this.#position
    if (start < 0 || start >= this.#bytes.length) return undefined
    return this.#bytes.subarray(start)
  }

  /**
   * Reads so many bytes from a position on and so many before it, as far as their segment goes.
   *
   * @returns how many there are from the position on
   */
  read(position: RecordPosition, { before, length }: { before: number; length: number }): number {
    const lead = Math.min(before, this.#file.offsetOf(position))
    if (this.#memory.length < lead + length) this.#memory = new Uint8Array(lead + length)
    // Nothing is at hand if the file cannot be read.
    this.#bytes = this.#memory.subarray(0, 0)
    const count = this.#file.readInto(this.#memory.subarray(0, lead + length), position - lead)
    this.#bytes = this.#memory.subarray(0, count)
    this.#position = position - lead
    return count - lead
  }
}
