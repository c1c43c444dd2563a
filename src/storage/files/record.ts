/**
 * A record of a segment file: a header of 8 bytes (length of the data in 4 bytes, of the key in 2, of the
 * label in 1, all little-endian, and a byte 0), then key, label and data. With the key in the file the
 * index can be made again from the segments alone.
 */
export interface RecordName {
  key: Uint8Array
  label: Uint8Array
}

/** Number of bytes of a record's header. */
export const headerLength = 8

/** Writes what stands before the data of a record at a position of a buffer, and returns the position behind it. */
export function writeRecordHead(
  name: RecordName,
  dataLength: number,
  target: { bytes: Buffer; position: number },
): number {
  const { bytes, position } = target
  bytes.writeUInt32LE(dataLength, position)
  bytes.writeUInt16LE(name.key.length, position + 4)
  bytes[position + 6] = name.label.length
  bytes[position + 7] = 0
  bytes.set(name.key, position + headerLength)
  bytes.set(name.label, position + headerLength + name.key.length)
  return position + recordHeadLength(name)
}

/** Number of bytes that stand before the data of a record. */
export function recordHeadLength(name: RecordName): number {
  return headerLength + name.key.length + name.label.length
}

/** What the header of a record says: the length of the data, of the key and of the label, in bytes. */
export function readRecordHeader(bytes: Buffer): { data: number; key: number; label: number } {
  return { data: bytes.readUInt32LE(0), key: bytes.readUInt16LE(4), label: bytes.readUInt8(6) }
}
