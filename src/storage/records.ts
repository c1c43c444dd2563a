import { crc32 } from 'node:zlib'
import { plainBytes } from '../encoding/hex.js'
import { type Steps, TimeSlice, runInSlices, runToCompletion } from '../encoding/timeSlice.js'
import { DataDirectoryError, StorageWriteError } from './errors.js'
import { SegmentFiles } from './segmentFiles.js'

/**
 * Position of a record's payload: segment number times 2^30, plus the offset within the segment.
 *
 * A safe integer below 2^48, so it fits into six bytes.
 */
export type RecordPosition = number

const SEGMENT_SPAN = 2 ** 30
const DEFAULT_SEGMENT_BYTES = 256 * 1024 * 1024
/** Number of records remembered as checked. */
const CHECKED_RECORDS = 65_536
/** Bytes read at once to check a record. */
const CHECKED_AT_ONCE = 256 * 1024

/** Returns the total length of pieces in bytes. */
export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}

function checkLength(length: number): void {
  if (length > SEGMENT_SPAN) throw new RangeError(`A record has at most ${SEGMENT_SPAN} bytes, not ${length}`)
}

/** Options for opening a record file. */
export interface RecordStoreOptions {
  directory: string
  /** End of the valid records; what follows was never referred to and is cut off. */
  end: RecordPosition
  /** Size at which a segment is closed for writing; at most 2^30. */
  segmentBytes?: number
}

/**
 * Bulk bytes that are written once and bypass LevelDB: an append-only file of framed records, in segments.
 *
 * Every read goes to the file; the operating system's page cache is the cache.
 */
export class RecordStore {
  readonly #files: SegmentFiles
  readonly #segmentBytes: number
  /** Segment being written, and its length. */
  #segment: number
  #length: number
  /** End of the file when it was opened. */
  readonly #openedEnd: RecordPosition
  /** Segments written to since the last sync. */
  readonly #unsynced = new Set<number>()
  /** Records verified as intact. */
  readonly #checked = new Set<RecordPosition>()

  constructor({ directory, end, segmentBytes = DEFAULT_SEGMENT_BYTES }: RecordStoreOptions) {
    this.#files = new SegmentFiles({ directory, digits: 6, extension: 'rec' })
    this.#openedEnd = end
    this.#segmentBytes = segmentBytes
    this.#segment = Math.floor(end / SEGMENT_SPAN)
    this.#length = end % SEGMENT_SPAN
    for (const segment of this.#files.list()) if (segment > this.#segment) this.#files.remove(segment)
    const size = Math.max(0, this.#files.size(this.#segment))
    if (size < this.#length) throw this.#tooShort(size)
    if (this.#files.isShared(this.#segment)) {
      this.#segment++
      this.#length = 0
    } else if (size > this.#length) this.#files.truncate(this.#segment, this.#length)
  }

  /** Position of the next record if it still fits into the segment; all records lie before it. */
  get end(): RecordPosition {
    return this.#segment * SEGMENT_SPAN + this.#length
  }

  /**
   * Appends records, each given in pieces, in one write, and returns the positions of their payloads. They become
   * durable together with the next batch written.
   *
   * @throws StorageWriteError if the disk refuses
   */
  append(records: readonly (readonly Uint8Array[])[]): RecordPosition[] {
    const framed = records.flatMap((pieces) => [runToCompletion(frameHeaderInSteps(pieces)), ...pieces])
    const positions: RecordPosition[] = []
    try {
      const length = lengthOf(framed)
      this.#makeRoom(length)
      let position = this.end
      for (const pieces of records) {
        positions.push(position + FRAME_HEADER_LENGTH)
        position += FRAME_HEADER_LENGTH + lengthOf(pieces)
      }
      this.#unsynced.add(this.#segment)
      this.#files.writeSync(this.#segment, this.#length, framed)
      this.#length += length
    } catch (cause) {
      throw new StorageWriteError('Could not append to the record file', { cause })
    }
    return positions
  }

  /**
   * Writes one record to a segment of its own on another thread, while others may be appended. A process that is killed
   * meanwhile may leave part of it, to which nothing refers.
   *
   * @param sync - whether to wait until it is on the medium
   * @returns the position of its payload
   * @throws StorageWriteError if the disk refuses
   */
  async appendLarge(pieces: readonly Uint8Array[], { sync }: { sync: boolean }): Promise<RecordPosition> {
    checkLength(FRAME_HEADER_LENGTH + lengthOf(pieces))
    const header = await runInSlices(frameHeaderInSteps(pieces), new TimeSlice())
    if (this.#length > 0) this.#startSegment()
    const segment = this.#segment
    this.#startSegment()
    try {
      await this.#files.write(segment, 0, [header, ...pieces])
      if (sync) await this.#files.flush(segment)
    } catch (cause) {
      this.#files.remove(segment)
      throw new StorageWriteError('Could not write to the record file', { cause })
    }
    return segment * SEGMENT_SPAN + FRAME_HEADER_LENGTH
  }

  #makeRoom(length: number): void {
    checkLength(length)
    if (this.#length > 0 && this.#length + length > this.#segmentBytes) this.#startSegment()
  }

  #startSegment(): void {
    this.#segment++
    this.#length = 0
  }

  /**
   * Waits until all appended bytes, and the names of their files, are on the medium.
   *
   * @throws StorageWriteError if the disk refuses
   */
  sync(): void {
    try {
      for (const segment of this.#unsynced) {
        this.#files.flushSync(segment)
        this.#unsynced.delete(segment)
      }
    } catch (cause) {
      throw new StorageWriteError('Could not sync the record file', { cause })
    }
  }

  /**
   * Reads `length` bytes at `offset` within a record's payload, as a copy.
   *
   * @throws DataDirectoryError if the record is damaged
   */
  read(position: RecordPosition, offset: number, length: number): Uint8Array {
    this.check(position)
    const bytes = Buffer.allocUnsafeSlow(length)
    if (this.#fill(bytes, position + offset) < length) {
      throw new DataDirectoryError(
        `The record file ends before byte ${this.offsetOf(position) + offset + length}`,
      )
    }
    return plainBytes(bytes)
  }

  /**
   * Verifies that a record is intact. Records never change, so each is checked once, and those that this process
   * wrote not at all.
   *
   * @param buffered - bytes already read, starting {@link FRAME_HEADER_LENGTH} before the position
   * @throws DataDirectoryError if the record is damaged
   */
  check(position: RecordPosition, buffered?: Uint8Array): void {
    if (position >= this.#openedEnd || this.#checked.has(position)) return
    const headerBytes = buffered ?? this.#readAt(position - FRAME_HEADER_LENGTH, FRAME_HEADER_LENGTH)
    const header = headerBytes.length < FRAME_HEADER_LENGTH ? undefined : readFrameHeader(headerBytes, 0)
    if (header !== undefined) {
      const end = FRAME_HEADER_LENGTH + header.length
      const isIntact =
        buffered !== undefined && buffered.length >= end
          ? isPayloadOf(header, buffered.subarray(FRAME_HEADER_LENGTH, end))
          : this.#isIntact(position, header)
      if (isIntact) {
        if (this.#checked.size >= CHECKED_RECORDS) this.#checked.clear()
        this.#checked.add(position)
        return
      }
    }
    throw this.damageAt(position)
  }

  /** Checks a payload part by part: allocating memory for all of a large one takes longer than reading it. */
  #isIntact(position: RecordPosition, { length, checksum }: FrameHeader): boolean {
    const memory = Buffer.allocUnsafe(Math.min(length, CHECKED_AT_ONCE))
    let actual = 0
    for (let start = 0; start < length; start += CHECKED_AT_ONCE) {
      const part = memory.subarray(0, Math.min(length - start, CHECKED_AT_ONCE))
      if (this.#fill(part, position + start) < part.length) return false
      actual = crc32(part, actual)
    }
    return actual === checksum
  }

  /** Creates the error for damage at a position. */
  damageAt(position: RecordPosition): DataDirectoryError {
    const path = this.#files.pathOf(Math.floor(position / SEGMENT_SPAN))
    return new DataDirectoryError(
      `${path} is damaged at byte ${position % SEGMENT_SPAN}. Restore the data directory from a copy.`,
    )
  }

  #readAt(position: RecordPosition, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafeSlow(length)
    return bytes.subarray(0, this.readInto(bytes, position))
  }

  /** Returns the offset of a position within its segment. */
  offsetOf(position: RecordPosition): number {
    return position % SEGMENT_SPAN
  }

  /**
   * Fills memory from a position on, up to the end of its segment.
   *
   * @returns the number of bytes read; less than the memory's length only at the end of the segment
   */
  readInto(memory: Uint8Array, position: RecordPosition): number {
    return this.#fill(memory, position)
  }

  #fill(memory: Uint8Array, position: RecordPosition): number {
    const segment = Math.floor(position / SEGMENT_SPAN)
    const start = position % SEGMENT_SPAN
    // A failed append may have left bytes after the valid end.
    const valid = segment === this.#segment ? Math.max(0, this.#length - start) : memory.length
    return this.#files.readSync(segment, start, valid < memory.length ? memory.subarray(0, valid) : memory)
  }

  close(): void {
    this.#files.close()
  }

  #tooShort(size: number): DataDirectoryError {
    return new DataDirectoryError(
      `${this.#files.pathOf(this.#segment)} has ${size} bytes where the database refers to ` +
        `${this.#length}: the data directory is damaged. Restore it from a copy, or delete it to start anew.`,
    )
  }
}

/**
 * Format of a record in an append-only file; numbers are little-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 4 | length of the payload |
 * | 4 | CRC-32 of the payload |
 * | 4 | CRC-32 of the first eight bytes |
 * | rest | payload |
 *
 * The header's own checksum tells a truncated record, which a killed process leaves at the end of a file, from one with
 * a damaged length.
 */
export const FRAME_HEADER_LENGTH = 12

/** Header of a record. */
export interface FrameHeader {
  /** Length of the payload in bytes. */
  length: number
  /** CRC-32 of the payload. */
  checksum: number
}

/** Writes the header of a record at a position. */
export function writeFrameHeader(into: Buffer, position: number, { length, checksum }: FrameHeader): void {
  into.writeUInt32LE(length, position)
  into.writeUInt32LE(checksum, position + 4)
  into.writeUInt32LE(crc32(into.subarray(position, position + 8)), position + 8)
}

/** Bytes of a checksum between two yields. */
const CHECKSUM_STEP = 1024 * 1024

/** Creates the header of a record whose payload is given in pieces. */
function* frameHeaderInSteps(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  let length = 0
  let checksum = 0
  for (const piece of pieces) {
    // An empty piece is left out: Node 20 would start the checksum anew if its ArrayBuffer has no memory.
    for (let start = 0; start < piece.length; start += CHECKSUM_STEP) {
      if (start > 0) yield
      checksum = crc32(piece.subarray(start, start + CHECKSUM_STEP), checksum)
    }
    length += piece.length
  }
  const header = Buffer.allocUnsafeSlow(FRAME_HEADER_LENGTH)
  writeFrameHeader(header, 0, { length, checksum })
  return header
}

/** Decodes a header written by {@link writeFrameHeader}; undefined if it is damaged. */
export function readFrameHeader(bytes: Uint8Array, position: number): FrameHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset + position, FRAME_HEADER_LENGTH)
  if (crc32(bytes.subarray(position, position + 8)) !== view.getUint32(8, true)) return undefined
  return { length: view.getUint32(0, true), checksum: view.getUint32(4, true) }
}

/** Returns whether a payload matches its header. */
export function isPayloadOf({ length, checksum }: FrameHeader, payload: Uint8Array): boolean {
  return payload.length === length && crc32(payload) === checksum
}

/** Place of a value in the record file. */
export interface BulkLocation {
  position: RecordPosition
  /** In bytes. */
  length: number
  /** CRC-32 of the value. */
  checksum: number
}

/** Length of a row: position (6), length (4) and checksum (4), little-endian. */
export const BULK_ROW_LENGTH = 14

/** Encodes the row that stands in the key-value store for a value in the record file. */
export function encodeBulkRow({ position, length, checksum }: BulkLocation): Uint8Array {
  const bytes = new Uint8Array(BULK_ROW_LENGTH)
  // Every block writes a dozen of these, so no view is created for each.
  const low = position >>> 0
  const high = Math.floor(position / 2 ** 32)
  putUint32(bytes, 0, low)
  bytes[4] = high
  bytes[5] = high >>> 8
  putUint32(bytes, 6, length)
  putUint32(bytes, 10, checksum)
  return bytes
}

/** Decodes a row written by {@link encodeBulkRow}. */
export function decodeBulkRow(bytes: Uint8Array): BulkLocation {
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
 * Buffer of the last read from the record file, including bytes before the requested position. Records written
 * together are mostly read together, and the piece that locates the others comes last. So reading that piece brings
 * its neighbours, where separate reads would each wait for the disk once memory no longer has them.
 */
export class RecordWindow {
  readonly #file: Pick<RecordStore, 'readInto' | 'offsetOf'>
  #memory = new Uint8Array(0)
  #bytes = this.#memory
  #position: RecordPosition = 0

  constructor(file: Pick<RecordStore, 'readInto' | 'offsetOf'>) {
    this.#file = file
  }

  /**
   * Returns a view of the buffered bytes from a position on, valid until the next {@link read}; undefined if there
   * are none.
   */
  from(position: RecordPosition): Uint8Array | undefined {
    const start = position - this.#position
    if (start < 0 || start >= this.#bytes.length) return undefined
    return this.#bytes.subarray(start)
  }

  /**
   * Reads `length` bytes from a position on and `before` bytes in front of it, within their segment.
   *
   * @returns the number of bytes from the position on
   */
  read(position: RecordPosition, { before, length }: { before: number; length: number }): number {
    const lead = Math.min(before, this.#file.offsetOf(position))
    if (this.#memory.length < lead + length) this.#memory = new Uint8Array(lead + length)
    // Leave the buffer empty if the read fails.
    this.#bytes = this.#memory.subarray(0, 0)
    const count = this.#file.readInto(this.#memory.subarray(0, lead + length), position - lead)
    this.#bytes = this.#memory.subarray(0, count)
    this.#position = position - lead
    return count - lead
  }
}
