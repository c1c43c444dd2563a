/** Where the bytes of a block lie. */
export interface BlockLocation {
  segment: number
  /** Position of the block's first byte in the segment file. */
  offset: number
  /** Number of bytes of the block. */
  length: number
}

/** A row of the block index. */
export interface BlockRow extends BlockLocation {
  /** What the block was called when it was stored: opaque to the store, at least one. */
  labels: Uint8Array[]
}

/** What the index knows of a segment file. */
export interface SegmentRow {
  /** Bytes of the file that acknowledged blocks occupy: whatever lies behind was never acknowledged. */
  committedLength: number
  /** Blocks of the file that the index still points to. */
  liveBlocks: number
  /** Bytes of the records of these blocks, headers included. */
  liveBytes: number
}

const locationLength = 12

/** Encodes a row of the block index: segment, offset, length (4 bytes each, little-endian), then labels. */
export function encodeBlockRow(row: BlockRow): Uint8Array {
  const labelsLength = row.labels.reduce((sum, label) => sum + 1 + label.length, 0)
  const bytes = Buffer.alloc(locationLength + labelsLength)
  bytes.writeUInt32LE(row.segment, 0)
  bytes.writeUInt32LE(row.offset, 4)
  bytes.writeUInt32LE(row.length, 8)
  let position = locationLength
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
  let position = locationLength
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
