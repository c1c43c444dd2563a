import type { RecordPosition } from './records.js'

/** Where a value lies in the record file. */
export interface BulkPlace {
  position: RecordPosition
  /** In bytes. */
  length: number
}

/** The length of a row: position (6) and length (4), little-endian. */
const ROW_LENGTH = 10

/** The row that stands in the key-value store for a value in the record file. */
export function encodeBulkRow({ position, length }: BulkPlace): Uint8Array {
  const bytes = new Uint8Array(ROW_LENGTH)
  // A dozen of these are written with every block: no view is made for each.
  const low = position >>> 0
  const high = Math.floor(position / 2 ** 32)
  bytes[0] = low
  bytes[1] = low >>> 8
  bytes[2] = low >>> 16
  bytes[3] = low >>> 24
  bytes[4] = high
  bytes[5] = high >>> 8
  bytes[6] = length
  bytes[7] = length >>> 8
  bytes[8] = length >>> 16
  bytes[9] = length >>> 24
  return bytes
}

/** Reads what {@link encodeBulkRow} wrote. */
export function decodeBulkRow(bytes: Uint8Array): BulkPlace {
  const high = bytes[4]! | (bytes[5]! << 8)
  return { position: high * 2 ** 32 + uint32At(bytes, 0), length: uint32At(bytes, 6) }
}

function uint32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}
