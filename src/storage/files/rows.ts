/** Position of a block's bytes. */
export interface BlockLocation {
  segment: number
  /** Position of the block's first byte in the segment file. */
  offset: number
  /** Length of the block in bytes. */
  length: number
}

/** Row of the block index. */
export interface BlockRow extends BlockLocation {
  /** Labels the block was stored under; at least one, opaque to the store. */
  labels: Uint8Array[]
}

/** The index's record of a segment file. */
export interface SegmentRow {
  /** Bytes of the file occupied by acknowledged blocks; later bytes were never acknowledged. */
  committedLength: number
  /** Blocks of the file that the index still points to. */
  liveBlocks: number
  /** Bytes of these blocks' records, headers included. */
  liveBytes: number
}

const LOCATION_LENGTH = 12

/** Encodes a row of the block index: segment, offset, length (4 bytes each, little-endian), then labels. */
export function encodeBlockRow(row: BlockRow): Uint8Array {
  const labelsLength = row.labels.reduce((sum, label) => sum + 1 + label.length, 0)
  const bytes = Buffer.alloc(LOCATION_LENGTH + labelsLength)
  bytes.writeUInt32LE(row.segment, 0)
  bytes.writeUInt32LE(row.offset, 4)
  bytes.writeUInt32LE(row.length, 8)
  let position = LOCATION_LENGTH
  for (const label of row.labels) {
    bytes[position] = label.length
    bytes.set(label, position + 1)
    position += 1 + label.length
  }
  return bytes
}

/** Decodes a row of the block index. */
export function decodeBlockRow(bytes: Uint8Array): BlockRow {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const labels: Uint8Array[] = []
  let position = LOCATION_LENGTH
  while (position < bytes.length) {
    const length = view.getUint8(position)
    labels.push(Uint8Array.from(bytes.subarray(position + 1, position + 1 + length)))
    position += 1 + length
  }
  return {
    segment: view.getUint32(0, true),
    offset: view.getUint32(4, true),
    length: view.getUint32(8, true),
    labels,
  }
}

/** Encodes a segment's row: three numbers of 8 bytes, little-endian. */
export function encodeSegmentRow(row: SegmentRow): Uint8Array {
  const bytes = Buffer.alloc(24)
  bytes.writeBigUInt64LE(BigInt(row.committedLength), 0)
  bytes.writeBigUInt64LE(BigInt(row.liveBlocks), 8)
  bytes.writeBigUInt64LE(BigInt(row.liveBytes), 16)
  return bytes
}

/** Decodes a segment's row. */
export function decodeSegmentRow(bytes: Uint8Array): SegmentRow {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    committedLength: Number(view.getBigUint64(0, true)),
    liveBlocks: Number(view.getBigUint64(8, true)),
    liveBytes: Number(view.getBigUint64(16, true)),
  }
}

/**
 * Keys of the file index, all in one LevelDB database: a byte for the kind of row, then the row's own key. Kinds are
 * never reused, so that old directories stay readable.
 */
export const rowKind = {
  /** `b` + multihash -> place of the block and its labels. */
  block: 0x62,
  /** `s` + segment number (4 bytes, big-endian) -> committed length, live blocks, live bytes. */
  segment: 0x73,
  /** `p` + CID -> pin. */
  pin: 0x70,
  /** `n` + name in UTF-8 -> single values, such as the root of the mutable files. */
  named: 0x6e,
} as const

/** Kind of row, by its first byte. */
export type RowKind = (typeof rowKind)[keyof typeof rowKind]

/** Returns the database key of a row. */
export function rowKey(kind: RowKind, key: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(key.length + 1)
  bytes[0] = kind
  bytes.set(key, 1)
  return bytes
}

/** Returns the database key of a segment's row. */
export function segmentRowKey(segment: number): Uint8Array {
  const bytes = Buffer.alloc(5)
  bytes[0] = rowKind.segment
  bytes.writeUInt32BE(segment, 1)
  return bytes
}

/** Returns the key range of all rows of a kind. */
export function rowRange(kind: RowKind): { gte: Uint8Array; lt: Uint8Array } {
  return { gte: Uint8Array.of(kind), lt: Uint8Array.of(kind + 1) }
}

/**
 * Record of a segment file: a header of 8 bytes (data length in 4 bytes, key length in 2, label length in 1, all
 * little-endian, and a zero byte), then key, label and data. Storing the key allows rebuilding the index from the
 * segments alone.
 */
export interface RecordName {
  key: Uint8Array
  label: Uint8Array
}

/** Length of a record's header in bytes. */
export const HEADER_LENGTH = 8

/** Writes header, key and label of a record at a position of a buffer, and returns the position after them. */
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
  bytes.set(name.key, position + HEADER_LENGTH)
  bytes.set(name.label, position + HEADER_LENGTH + name.key.length)
  return position + recordHeadLength(name)
}

/** Returns the total length of a record's header, key and label in bytes. */
export function recordHeadLength(name: RecordName): number {
  return HEADER_LENGTH + name.key.length + name.label.length
}

/** Decodes a record's header: the lengths of data, key and label in bytes. */
export function readRecordHeader(bytes: Buffer): { data: number; key: number; label: number } {
  return { data: bytes.readUInt32LE(0), key: bytes.readUInt16LE(4), label: bytes.readUInt8(6) }
}
