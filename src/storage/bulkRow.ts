import type { RecordPosition } from './records.js'

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
