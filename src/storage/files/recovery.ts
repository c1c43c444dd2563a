import { applyChanges } from './indexDatabase.js'
import type { IndexChange, IndexDatabase } from './indexDatabase.js'
import { rowKind, rowRange, segmentRowKey } from './keyspace.js'
import { recordHeadLength } from './record.js'
import { rebuildSegment } from './rebuildSegment.js'
import type { RebuildSource } from './rebuildSegment.js'
import { removeSegment } from './removeSegment.js'
import { decodeBlockRow, decodeSegmentRow, encodeSegmentRow } from './rows.js'
import type { BlockRow, SegmentRow } from './rows.js'

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
