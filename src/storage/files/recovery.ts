import type { BatchOperation } from '../memTable.js'
import type { SegmentFiles } from '../segmentFiles.js'
import type { FileIndex } from './fileIndex.js'
import {
  type BlockRow,
  type SegmentRow,
  decodeBlockRow,
  decodeSegmentRow,
  encodeBlockRow,
  encodeSegmentRow,
  HEADER_LENGTH,
  readRecordHeader,
  recordHeadLength,
  rowKey,
  rowKind,
  segmentRowKey,
} from './rows.js'

/** Checks whether a block matches its key; used for blocks that only their own file attests. */
export type BlockCheck = (key: Uint8Array, data: Uint8Array) => Promise<boolean>

/** Parts of a block store in segments. */
export interface SegmentParts {
  index: FileIndex
  files: SegmentFiles
  isIntact: BlockCheck
}

/**
 * Reconciles files and index, and returns the segments that hold blocks.
 *
 * Bytes of a file after the committed length, such as a torn write, were never acknowledged: they are cut off. If a
 * file is shorter than that, its incomplete blocks leave the index. The blocks of a file unknown to the index are
 * added to it. Files without a live block are deleted.
 */
export async function recoverSegments(parts: SegmentParts): Promise<Map<number, SegmentRow>> {
  const { index, files } = parts
  const segments = new Map<number, SegmentRow>()
  for await (const [key, value] of index.rows(rowKind.segment)) {
    segments.set(Buffer.from(key).readUInt32BE(1), decodeSegmentRow(value))
  }
  for (const segment of files.list()) {
    if (!segments.has(segment)) segments.set(segment, await rebuildSegment(parts, segment))
  }

  let isCutShort = false
  for (const [segment, row] of segments) {
    const size = files.size(segment)
    if (size > row.committedLength && !files.isShared(segment)) {
      files.truncate(segment, row.committedLength)
    }
    if (size >= row.committedLength) continue
    segments.set(segment, { ...row, committedLength: Math.max(size, 0) })
    isCutShort = true
  }
  if (isCutShort || [...segments.values()].some(isSuspicious)) await recount(index, segments)

  for (const [segment, row] of segments) {
    if (row.liveBlocks > 0) continue
    segments.delete(segment)
    await removeSegment(parts, segment)
  }
  return segments
}

/** Returns whether a segment has no live blocks or impossible counts: nothing is deleted on the word of a count. */
function isSuspicious({ liveBlocks, liveBytes, committedLength }: SegmentRow): boolean {
  return liveBlocks <= 0 || liveBytes <= 0 || liveBytes > committedLength
}

/**
 * Recounts the live blocks of all segments from the index. Blocks that end after the committed length leave the
 * index: their file is too short, or missing.
 */
async function recount(index: FileIndex, segments: Map<number, SegmentRow>): Promise<void> {
  for (const segment of segments.values()) {
    segment.liveBlocks = 0
    segment.liveBytes = 0
  }
  const changes: BatchOperation[] = []
  for await (const [key, value] of index.rows(rowKind.block)) {
    const row = decodeBlockRow(value)
    const segment = segments.get(row.segment)
    if (segment === undefined || row.offset + row.length > segment.committedLength) {
      changes.push({ key, value: undefined })
      continue
    }
    segment.liveBlocks++
    segment.liveBytes += recordLength(key, row)
  }
  for (const [number, row] of segments) {
    changes.push({ key: segmentRowKey(number), value: encodeSegmentRow(row) })
  }
  await index.write(changes, { sync: true })
}

/** Returns the length of a block's record in its segment, from its index row. */
function recordLength(key: Uint8Array, { labels, length }: BlockRow): number {
  return recordHeadLength({ key: key.subarray(1), label: labels[0] ?? new Uint8Array() }) + length
}

/** Rows per write. */
const BATCH_SIZE = 4096

/** Record found in a segment. */
interface FoundRecord {
  key: Uint8Array
  label: Uint8Array
  /** Position and length of the data. */
  offset: number
  length: number
}

/**
 * Adds the blocks of a segment without a row to the index, except those already in it. A process that ends during the
 * first write to a segment leaves such a file, and then none of its blocks was acknowledged. But an index that lost a
 * row leaves one too, and the two cases look alike. An unfinished write leaves holes, so damaged blocks are skipped.
 * The live counts are left at zero.
 */
async function rebuildSegment(parts: SegmentParts, segment: number): Promise<SegmentRow> {
  const { index } = parts
  const row: SegmentRow = { committedLength: 0, liveBlocks: 0, liveBytes: 0 }
  let changes: BatchOperation[] = []
  for await (const { key, label, offset, length } of readRecords(parts, segment)) {
    row.committedLength = offset + length
    const indexKey = rowKey(rowKind.block, key)
    if (index.get(indexKey) !== undefined) continue
    changes.push({
      key: indexKey,
      value: encodeBlockRow({ segment, offset, length, labels: [label] }),
    })
    if (changes.length < BATCH_SIZE) continue
    await index.write(changes, { sync: true })
    changes = []
  }
  await index.write(changes, { sync: true })
  return row
}

/** Yields the records of a segment whose blocks are intact, up to the first incomplete record. */
async function* readRecords({ files, isIntact }: SegmentParts, segment: number): AsyncGenerator<FoundRecord> {
  const size = files.size(segment)
  for (let position = 0; position + HEADER_LENGTH <= size;) {
    const header = Buffer.from(await files.read(segment, position, new Uint8Array(HEADER_LENGTH)))
    const { data, key, label } = readRecordHeader(header)
    const nameStart = position + HEADER_LENGTH
    const offset = nameStart + key + label
    if (key === 0 || offset + data > size) return
    const name = await files.read(segment, nameStart, new Uint8Array(key + label))
    const bytes = await files.read(segment, offset, new Uint8Array(data))
    const found = { key: name.slice(0, key), label: name.slice(key), offset, length: data }
    if (await isIntact(found.key, bytes)) yield found
    position = offset + data
  }
}

/**
 * Deletes a segment without live blocks, the file first: a file without a row counts as lost from the index, and its
 * blocks would come back.
 */
export async function removeSegment({ index, files }: SegmentParts, segment: number): Promise<void> {
  files.remove(segment)
  await index.write([{ key: segmentRowKey(segment), value: undefined }])
}
