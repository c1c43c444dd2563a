import { sortInSteps } from '../../encoding/sorting.js'
import { TimeSlice, runInSlices } from '../../encoding/timeSlice.js'
import { DamagedBlockError } from '../errors.js'
import type { BlockToStore } from './batch.js'
import { type SegmentParts, removeSegment } from './recovery.js'
import { type BlockRow, type SegmentRow, decodeBlockRow, rowKind } from './rows.js'

/** Share of dead bytes from which a segment is rewritten. */
const DEAD_SHARE = 0.05
/** Maximum bytes held in memory while a segment is rewritten. */
const BYTES_AT_ONCE = 8 * 1024 * 1024
/** Maximum blocks per write: other writes wait as long as its rows take. */
const BLOCKS_AT_ONCE = 512

/** A block that is still needed, and the place of its bytes. */
interface LivingBlock {
  key: Uint8Array
  row: BlockRow
}

/** Returns the segments whose holes make them worth rewriting. */
export function segmentsToRewrite(segments: ReadonlyMap<number, SegmentRow>): Set<number> {
  const worthwhile = [...segments].filter(
    ([, row]) => row.committedLength - row.liveBytes >= Math.max(1, row.committedLength * DEAD_SHARE),
  )
  return new Set(worthwhile.map(([number]) => number))
}

/** Stores the live blocks of segments again and deletes the segments' files. */
export async function rewriteSegments(
  parts: SegmentParts,
  options: {
    segments: Map<number, SegmentRow>
    rewritten: ReadonlySet<number>
    write: (blocks: BlockToStore[]) => Promise<void>
  },
): Promise<void> {
  const { index, files, isIntact } = parts
  const { segments, rewritten, write } = options
  if (rewritten.size === 0) return

  const slice = new TimeSlice()
  const living: LivingBlock[] = []
  for await (const [key, value] of index.rows(rowKind.block)) {
    const row = decodeBlockRow(value)
    if (rewritten.has(row.segment)) living.push({ key: Uint8Array.from(key.subarray(1)), row })
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }

  let batch: BlockToStore[] = []
  let bytes = 0
  for (const { key, row } of await runInSlices(sortInSteps(living, compareLocations), slice)) {
    const data = await files.read(row.segment, row.offset, new Uint8Array(row.length))
    // Blocks that this process wrote are not verified later, so a damaged one must not get through.
    if (!(await isIntact(key, data))) throw new DamagedBlockError('a stored block is damaged')
    batch.push({ key, label: row.labels[0] ?? new Uint8Array(), data })
    bytes += data.length
    if (bytes < BYTES_AT_ONCE && batch.length < BLOCKS_AT_ONCE) continue
    await write(batch)
    batch = []
    bytes = 0
  }
  if (batch.length > 0) await write(batch)

  for (const segment of rewritten) {
    segments.delete(segment)
    await removeSegment(parts, segment)
  }
}

function compareLocations(a: LivingBlock, b: LivingBlock): number {
  return a.row.segment - b.row.segment || a.row.offset - b.row.offset
}
