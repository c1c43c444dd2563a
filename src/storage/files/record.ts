/**
 * A record of a segment file: a header of 8 bytes (length of the data in 4 bytes, of the key in 2, of the
 * label in 1, all little-endian, and a byte 0), then key, label and data. With the key in the file the
 * index can be made again from the segments alone.
 */
export interface RecordName {
  key: Uint8Array
  label: Uint8Array
}

const headerLength = 8

/** The bytes that stand before the data of a record. */
export function encodeRecordHead(name: RecordName, dataLength: number): Uint8Array {
  const head = Buffer.alloc(recordHeadLength(name))
  head.writeUInt32LE(dataLength, 0)
  head.writeUInt16LE(name.key.length, 4)
  head[6] = name.label.length
  head.set(name.key, headerLength)
  head.set(name.label, headerLength + name.key.length)
  return head
}

/** Number of bytes that stand before the data of a record. */
export function recordHeadLength(name: RecordName): number {
  return headerLength + name.key.length + name.label.length
}
