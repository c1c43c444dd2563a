import { type IndexChange, type IndexDatabase, applyChanges } from './indexDatabase.js'
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
  rowRange,
  segmentRowKey,
} from './rows.js'
import { type SegmentFiles, removeSegment } from './segmentFiles.js'

/**
 * Brings files and index to the same state and returns the segments that hold blocks.
 *
 * What lies in a file behind the committed length was never acknowledged, a torn write among it: it is cut
 * off. Where a file is shorter than that, the blocks that are no longer whole leave the index. A file that the
 * index does not know gives its blocks to it. Files without a live block are deleted.
 */
export async function recoverSegments(source: RebuildSource): Promise<Map<number, SegmentRow>> {
  const { database, files } = source
  const segments = new Map<number, SegmentRow>()
  for await (const [key, value] of database.iterator(rowRange(rowKind.segment))) {
    segments.set(Buffer.from(key).readUInt32BE(1), decodeSegmentRow(value))
  }
  for (const segment of await files.list()) {
    if (!segments.has(segment)) segments.set(segment, await rebuildSegment(source, segment))
  }

  let isCutShort = false
  for (const [segment, row] of segments) {
    const size = await files.size(segment)
    if (size > row.committedLength && !files.isShared(segment)) {
      await files.truncate(segment, row.committedLength)
    }
    if (size >= row.committedLength) continue
    segments.set(segment, { ...row, committedLength: Math.max(size, 0) })
    isCutShort = true
  }
  if (isCutShort || [...segments.values()].some(isSuspicious)) await recount(database, segments)

  for (const [segment, row] of segments) {
    if (row.liveBlocks > 0) continue
    segments.delete(segment)
    await removeSegment(database, files, segment)
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
async function recount(database: IndexDatabase, segments: Map<number, SegmentRow>): Promise<void> {
  for (const segment of segments.values()) {
    segment.liveBlocks = 0
    segment.liveBytes = 0
  }
  const changes: IndexChange[] = []
  for await (const [key, value] of database.iterator(rowRange(rowKind.block))) {
    const row = decodeBlockRow(value)
    const segment = segments.get(row.segment)
    if (segment === undefined || row.offset + row.length > segment.committedLength) {
      changes.push({ type: 'del', key })
      continue
    }
    segment.liveBlocks++
    segment.liveBytes += recordLength(key, row)
  }
  for (const [number, row] of segments) {
    changes.push({ type: 'put', key: segmentRowKey(number), value: encodeSegmentRow(row) })
  }
  await applyChanges(database, changes, { sync: true })
}

/** Bytes that a block takes in its segment, by its row in the index. */
function recordLength(key: Uint8Array, { labels, length }: BlockRow): number {
  return recordHeadLength({ key: key.subarray(1), label: labels[0] ?? new Uint8Array() }) + length
}

/** Rows that are written at once. */
const batchSize = 4096

/** Whether a block is what its key says; asked of those that nothing but their own file tells of. */
export type BlockCheck = (key: Uint8Array, data: Uint8Array) => Promise<boolean>

/** Where segments and what is known of them are. */
export interface RebuildSource {
  database: IndexDatabase
  files: SegmentFiles
  isIntact: BlockCheck
}

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
export async function rebuildSegment(source: RebuildSource, segment: number): Promise<SegmentRow> {
  const { database } = source
  const row: SegmentRow = { committedLength: 0, liveBlocks: 0, liveBytes: 0 }
  let changes: IndexChange[] = []
  for await (const { key, label, offset, length } of readRecords(source, segment)) {
    row.committedLength = offset + length
    const indexKey = rowKey(rowKind.block, key)
    if (database.getSync(indexKey) !== undefined) continue
    changes.push({
      type: 'put',
      key: indexKey,
      value: encodeBlockRow({ segment, offset, length, labels: [label] }),
    })
    if (changes.length < batchSize) continue
    await applyChanges(database, changes, { sync: true })
    changes = []
  }
  await applyChanges(database, changes, { sync: true })
  return row
}

/** The records of a segment whose blocks are intact, up to the first that is not there as a whole. */
async function* readRecords(
  { files, isIntact }: RebuildSource,
  segment: number,
): AsyncGenerator<FoundRecord> {
  const size = await files.size(segment)
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
