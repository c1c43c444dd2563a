import { applyChanges } from './indexDatabase.js'
import type { IndexChange, IndexDatabase } from './indexDatabase.js'
import { rowKind, rowRange, segmentRowKey } from './keyspace.js'
import { recordHeadLength } from './record.js'
import { decodeBlockRow, decodeSegmentRow, encodeSegmentRow } from './rows.js'
import type { BlockRow, SegmentRow } from './rows.js'
import type { SegmentFiles } from './segmentFiles.js'

/**
 * Brings files and index to the same state and returns the segments that hold blocks.
 *
 * What lies in a file behind the committed length was never acknowledged, a torn write among it: it is cut
 * off. Where a file is shorter than that, the blocks that are no longer whole leave the index. Files
 * without a live block are deleted.
 */
export async function recoverSegments(
  database: IndexDatabase,
  files: SegmentFiles,
): Promise<Map<number, SegmentRow>> {
  const segments = new Map<number, SegmentRow>()
  for await (const [key, value] of database.iterator(rowRange(rowKind.segment))) {
    segments.set(Buffer.from(key).readUInt32BE(1), decodeSegmentRow(value))
  }

  const cutShort = new Map<number, number>()
  for (const [segment, row] of segments) {
    const size = await files.size(segment)
    if (size > row.committedLength) await files.truncate(segment, row.committedLength)
    if (size < row.committedLength) cutShort.set(segment, Math.max(size, 0))
  }
  if (cutShort.size > 0) await dropLostBlocks({ database, segments, cutShort })
  if ([...segments.values()].some(isSuspicious)) await recount(database, segments)

  for (const [segment, row] of segments) {
    if (row.liveBlocks > 0) continue
    segments.delete(segment)
    await database.del(segmentRowKey(segment))
  }
  for (const segment of await files.list()) {
    if (!segments.has(segment)) await files.remove(segment)
  }
  return segments
}

async function dropLostBlocks(options: {
  database: IndexDatabase
  segments: Map<number, SegmentRow>
  cutShort: Map<number, number>
}): Promise<void> {
  const { database, segments, cutShort } = options
  const changes: IndexChange[] = []
  for (const [segment, size] of cutShort) {
    segments.set(segment, { ...(segments.get(segment) as SegmentRow), committedLength: size })
  }
  for await (const [key, value] of database.iterator(rowRange(rowKind.block))) {
    const row = decodeBlockRow(value)
    const size = cutShort.get(row.segment)
    if (size === undefined || row.offset + row.length <= size) continue
    const segment = segments.get(row.segment) as SegmentRow
    segment.liveBlocks--
    segment.liveBytes -= recordLength(key, row)
    changes.push({ type: 'del', key })
  }
  for (const segment of cutShort.keys()) {
    const row = segments.get(segment) as SegmentRow
    changes.push({ type: 'put', key: segmentRowKey(segment), value: encodeSegmentRow(row) })
  }
  await applyChanges(database, changes, { sync: true })
}

/** Whether a segment has nothing that lives, or counts that cannot be: nothing is deleted on the word of a count. */
function isSuspicious({ liveBlocks, liveBytes, committedLength }: SegmentRow): boolean {
  return liveBlocks <= 0 || liveBytes <= 0 || liveBytes > committedLength
}

/** Counts the living blocks of all segments anew, by the index. */
async function recount(database: IndexDatabase, segments: Map<number, SegmentRow>): Promise<void> {
  for (const segment of segments.values()) {
    segment.liveBlocks = 0
    segment.liveBytes = 0
  }
  for await (const [key, value] of database.iterator(rowRange(rowKind.block))) {
    const row = decodeBlockRow(value)
    const segment = segments.get(row.segment)
    if (segment === undefined) continue
    segment.liveBlocks++
    segment.liveBytes += recordLength(key, row)
  }
  const changes: IndexChange[] = [...segments].map(([number, row]) => ({
    type: 'put',
    key: segmentRowKey(number),
    value: encodeSegmentRow(row),
  }))
  await applyChanges(database, changes, { sync: true })
}

/** Bytes that a block takes in its segment, by its row in the index. */
function recordLength(key: Uint8Array, { labels, length }: BlockRow): number {
  return recordHeadLength({ key: key.subarray(1), label: labels[0] ?? new Uint8Array() }) + length
}
