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
  headerLength,
  readRecordHeader,
  recordHeadLength,
  rowKey,
  rowKind,
  segmentRowKey,
} from './rows.js'

/** Whether a block is what its key says; asked of those that nothing but their own file tells of. */
export type BlockCheck = (key: Uint8Array, data: Uint8Array) => Promise<boolean>

/** What blocks in segments are made of. */
export interface SegmentParts {
  index: FileIndex
  files: SegmentFiles
  isIntact: BlockCheck
}

/**
 * Brings files and index to the same state and returns the segments that hold blocks.
 *
 * What lies in a file behind the committed length was never acknowledged, a torn write among it: it is cut
 * off. Where a file is shorter than that, the blocks that are no longer whole leave the index. A file that the
 * index does not know gives its blocks to it. Files without a live block are deleted.
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

/** Whether a segment has nothing that lives, or counts that cannot be: nothing is deleted on the word of a count. */
function isSuspicious({ liveBlocks, liveBytes, committedLength }: SegmentRow): boolean {
  return liveBlocks <= 0 || liveBytes <= 0 || liveBytes > committedLength
}

/**
 * Counts the living blocks of all segments anew, by the index. Blocks that end behind the committed length leave the
 * index: their file is too short to have them whole, or is not there.
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

/** Bytes that a block takes in its segment, by its row in the index. */
function recordLength(key: Uint8Array, { labels, length }: BlockRow): number {
  return recordHeadLength({ key: key.subarray(1), label: labels[0] ?? new Uint8Array() }) + length
}

/** Rows that are written at once. */
const batchSize = 4096

/** A record as it lies in a segment. */
interface FoundRecord {
  key: Uint8Array
  label: Uint8Array
  /** Position of the data, and their length. */
  offset: number
  length: number
}

/**
 * Gives the blocks of a segment without a row to the index, those excepted that it has already. A process that ends in
 * the first write to a segment leaves such a file, and then none of its blocks was acknowledged; but an index that has
 * lost a row leaves one too, and nothing tells the two apart. A write that was not finished leaves holes: what is not
 * intact is left out. The counts are still to be made.
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
    if (changes.length < batchSize) continue
    await index.write(changes, { sync: true })
    changes = []
  }
  await index.write(changes, { sync: true })
  return row
}

/** The records of a segment whose blocks are intact, up to the first that is not there as a whole. */
async function* readRecords({ files, isIntact }: SegmentParts, segment: number): AsyncGenerator<FoundRecord> {
  const size = files.size(segment)
  for (let position = 0; position + headerLength <= size;) {
    const header = Buffer.from(await files.read(segment, position, new Uint8Array(headerLength)))
    const { data, key, label } = readRecordHeader(header)
    const nameStart = position + headerLength
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
 * Deletes a segment that has no living block: the file first, for a file without a row is one that the index has lost,
 * and its blocks would come back.
 */
export async function removeSegment({ index, files }: SegmentParts, segment: number): Promise<void> {
  files.remove(segment)
  await index.write([{ key: segmentRowKey(segment), value: undefined }])
}
