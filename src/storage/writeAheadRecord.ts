import { crc32 } from 'node:zlib'
import { latin1 } from '../encoding/bytes.js'
import { DataDirectoryError } from './errors.js'
import { FRAME_HEADER_LENGTH, isPayloadOf, readFrameHeader, writeFrameHeader } from './frame.js'
import type { BatchOperation } from './writeBatch.js'

/**
 * The payload of a record ({@link FRAME_HEADER_LENGTH}) in a write-ahead file; all numbers are little-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 8 | end of the record file when the batch was written |
 * | rest | operations, each 4 bytes key length, 4 bytes value length, key, value |
 *
 * A value length of 0xffffffff removes the key and has no value behind it.
 */
const RECORD_END_LENGTH = 8
const OPERATION_HEADER_LENGTH = 8
const REMOVED = 0xffffffff

/** A batch as a write-ahead file keeps it. */
export interface WriteAheadRecord {
  operations: readonly BatchOperation[]
  /** Up to where the record file was filled when the batch was written. */
  recordEnd: number
}

/** Where one record lies in a write-ahead file. */
export interface RecordSpan {
  start: number
  end: number
}

/** How many bytes a batch takes in a write-ahead file. */
export function encodedLength(operations: readonly BatchOperation[]): number {
  let length = FRAME_HEADER_LENGTH + RECORD_END_LENGTH
  for (const { key, value } of operations) {
    length += OPERATION_HEADER_LENGTH + key.length + (value?.length ?? 0)
  }
  return length
}

/**
 * Writes a batch into a buffer that has `encodedLength` bytes of room behind `start`.
 *
 * @returns where it ends
 */
export function encodeRecord(
  { operations, recordEnd }: WriteAheadRecord,
  into: Buffer,
  start: number,
): number {
  const payload = start + FRAME_HEADER_LENGTH
  into.writeDoubleLE(recordEnd, payload)
  let position = payload + RECORD_END_LENGTH
  for (const { key, value } of operations) {
    into.writeUInt32LE(key.length, position)
    into.writeUInt32LE(value === undefined ? REMOVED : value.length, position + 4)
    position += OPERATION_HEADER_LENGTH
    into.set(key, position)
    position += key.length
    if (value !== undefined) {
      into.set(value, position)
      position += value.length
    }
  }
  const checksum = crc32(into.subarray(payload, position))
  writeFrameHeader(into, start, { length: position - payload, checksum })
  return position
}

/**
 * The whole records of a write-ahead file in their order, without what a killed process has left of its last append.
 *
 * @param path - of the file, for errors
 * @throws DataDirectoryError if a record that was written as a whole is damaged.
 */
export function* wholeRecords(file: Buffer, path: string): Generator<RecordSpan, void, undefined> {
  let start = 0
  while (start + FRAME_HEADER_LENGTH <= file.length) {
    const payload = start + FRAME_HEADER_LENGTH
    const header = readFrameHeader(file, start)
    const end = payload + (header?.length ?? 0)
    if (header !== undefined && end > file.length) return
    if (header === undefined || !isPayloadOf(header, file.subarray(payload, end))) {
      if (endsInZeros(file, start)) return
      throw new DataDirectoryError(
        `${path} is damaged at byte ${start}: it holds what was acknowledged and did not reach the database yet. ` +
          'Restore the data directory from a copy, or delete it to start anew.',
      )
    }
    yield { start, end }
    start = end
  }
}

const PAGE_LENGTH = 4096

/** Whether the last page of a file from a position on is zero: a loss of power leaves pages without their bytes. */
function endsInZeros(file: Buffer, start: number): boolean {
  const lastPage = Math.floor((file.length - 1) / PAGE_LENGTH) * PAGE_LENGTH
  return file.subarray(Math.max(start, lastPage)).every((byte) => byte === 0)
}

/** Up to where the record file was filled when a record was written. */
export function recordEndOf(file: Buffer, { start }: RecordSpan): number {
  return file.readDoubleLE(start + FRAME_HEADER_LENGTH)
}

/** Where the operations of a record begin, in their order. */
export function* operationsOf(file: Buffer, { start, end }: RecordSpan): Generator<number, void, undefined> {
  let position = start + FRAME_HEADER_LENGTH + RECORD_END_LENGTH
  while (position < end) {
    yield position
    const valueLength = file.readUInt32LE(position + 4)
    position += OPERATION_HEADER_LENGTH + file.readUInt32LE(position)
    if (valueLength !== REMOVED) position += valueLength
  }
}

/** The key of the operation that begins at a position, each byte as one Latin-1 character. */
export function keyNameAt(file: Buffer, position: number): string {
  const start = position + OPERATION_HEADER_LENGTH
  return latin1(file, start, start + file.readUInt32LE(position))
}

/** A copy of the value of the operation that begins at a position; null if it removes its key. */
export function valueAt(file: Buffer, position: number): Uint8Array | null {
  const length = file.readUInt32LE(position + 4)
  if (length === REMOVED) return null
  const start = position + OPERATION_HEADER_LENGTH + file.readUInt32LE(position)
  const value = new Uint8Array(length)
  if (length > LONGEST_COPIED_HERE) value.set(file.subarray(start, start + length))
  else for (let i = 0; i < length; i++) value[i] = file[start + i]!
  return value
}

/** Up to this many bytes, copying them here takes less than making a slice to copy from. */
const LONGEST_COPIED_HERE = 64

/** The operation that begins at a position; its bytes are slices of the file. */
export function operationAt(file: Buffer, position: number): BatchOperation {
  const keyEnd = position + OPERATION_HEADER_LENGTH + file.readUInt32LE(position)
  const valueLength = file.readUInt32LE(position + 4)
  return {
    key: file.subarray(position + OPERATION_HEADER_LENGTH, keyEnd),
    value: valueLength === REMOVED ? undefined : file.subarray(keyEnd, keyEnd + valueLength),
  }
}
