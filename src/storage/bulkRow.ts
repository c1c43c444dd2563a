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
  const view = Buffer.from(bytes.buffer)
  view.writeUIntLE(position, 0, 6)
  view.writeUInt32LE(length, 6)
  return bytes
}

/** Reads what {@link encodeBulkRow} wrote. */
export function decodeBulkRow(bytes: Uint8Array): BulkPlace {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return { position: view.readUIntLE(0, 6), length: view.readUInt32LE(6) }
}
