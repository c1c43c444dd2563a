/**
 * The keys of the file index, all in one LevelDB database: a byte that names the kind of row, then the
 * row's own key. Kinds are never reused for something else, so that an old directory stays readable.
 */
export const rowKind = {
  /** `b` + multihash -> where the block lies and the labels it was stored under. */
  block: 0x62,
  /** `s` + segment number (4 bytes, big-endian) -> committed length, live blocks, live bytes. */
  segment: 0x73,
  /** `p` + CID -> pin. */
  pin: 0x70,
  /** `n` + name in UTF-8 -> single values, such as the root of the mutable files. */
  named: 0x6e,
} as const

/** A kind of row, by its first byte. */
export type RowKind = (typeof rowKind)[keyof typeof rowKind]

/** The database key of a row. */
export function rowKey(kind: RowKind, key: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(key.length + 1)
  bytes[0] = kind
  bytes.set(key, 1)
  return bytes
}

/** The database key of a segment's row. */
export function segmentRowKey(segment: number): Uint8Array {
  const bytes = Buffer.alloc(5)
  bytes[0] = rowKind.segment
  bytes.writeUInt32BE(segment, 1)
  return bytes
}

/** The bounds of an iteration over all rows of a kind. */
export function rowRange(kind: RowKind): { gte: Uint8Array; lt: Uint8Array } {
  return { gte: Uint8Array.of(kind), lt: Uint8Array.of(kind + 1) }
}
