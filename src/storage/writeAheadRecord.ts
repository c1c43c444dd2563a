import { crc32 } from 'node:zlib'
import type { BatchOperation } from './writeBatch.js'

/**
 * The form of one record in a write-ahead file; all numbers are little-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 4 | length of the payload |
 * | 4 | CRC-32 of the payload |
 * | 8 | payload: end of the record file when the batch was written |
 * | rest | payload: operations, each 4 bytes key length, 4 bytes value length, key, value |
 *
 * A value length of 0xffffffff removes the key and has no value behind it.
 */
const HEADER_LENGTH = 8
const RECORD_END_LENGTH = 8
const OPERATION_HEADER_LENGTH = 8
const REMOVED = 0xffffffff

/** A batch as a write-ahead file keeps it. */
export interface WriteAheadRecord {
  operations: readonly BatchOperation[]
  /** Up to where the record file was filled when the batch was written. */
  recordEnd: number
}

/** How many bytes a batch takes in a write-ahead file. */
export function encodedLength(operations: readonly BatchOperation[]): number {
  let length = HEADER_LENGTH + RECORD_END_LENGTH
  for (const { key, value } of operations) {
    length += OPERATION_HEADER_LENGTH + key.length + (value?.length ?? 0)
  }
  return length
}

/** Writes a batch into the beginning of a buffer that has `encodedLength` bytes of room, and returns its length. */
export function encodeRecord({ operations, recordEnd }: WriteAheadRecord, into: Buffer): number {
  into.writeDoubleLE(recordEnd, HEADER_LENGTH)
  let position = HEADER_LENGTH + RECORD_END_LENGTH
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
  into.writeUInt32LE(position - HEADER_LENGTH, 0)
  into.writeUInt32LE(crc32(into.subarray(HEADER_LENGTH, position)), 4)
  return position
}

/**
 * The whole records of a write-ahead file in their order, and where they end.
 *
 * Reading stops at the first record that is cut off or damaged: a process that dies while it appends leaves such
 * a tail, and nobody was told that it was written.
 */
export function decodeRecords(file: Buffer): { records: WriteAheadRecord[]; end: number } {
  const records: WriteAheadRecord[] = []
  let position = 0
  while (position + HEADER_LENGTH + RECORD_END_LENGTH <= file.length) {
    const start = position + HEADER_LENGTH
    const end = start + file.readUInt32LE(position)
    if (end < start + RECORD_END_LENGTH || end > file.length) break
    if (crc32(file.subarray(start, end)) !== file.readUInt32LE(position + 4)) break
    records.push({
      recordEnd: file.readDoubleLE(start),
      operations: decodeOperations(file.subarray(start + RECORD_END_LENGTH, end)),
    })
    position = end
  }
  return { records, end: position }
}

function decodeOperations(bytes: Buffer): BatchOperation[] {
  const operations: BatchOperation[] = []
  let position = 0
  while (position < bytes.length) {
    const keyEnd = position + OPERATION_HEADER_LENGTH + bytes.readUInt32LE(position)
    const valueLength = bytes.readUInt32LE(position + 4)
    const key = bytes.subarray(position + OPERATION_HEADER_LENGTH, keyEnd)
    const valueEnd = valueLength === REMOVED ? keyEnd : keyEnd + valueLength
    operations.push({ key, value: valueLength === REMOVED ? undefined : bytes.subarray(keyEnd, valueEnd) })
    position = valueEnd
  }
  return operations
}
