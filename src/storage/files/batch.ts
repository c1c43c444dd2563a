import type { IndexChange } from './indexDatabase.js'
import { rowKey, rowKind, segmentRowKey } from './keyspace.js'
import { recordHeadLength } from './record.js'
import { RecordBuffers } from './recordBuffers.js'
import { encodeBlockRow, encodeSegmentRow } from './rows.js'
import type { BlockRow, SegmentRow } from './rows.js'
import type { BlockSession } from './sessions.js'

/** A new segment is begun where a block would make the current one longer than this. */
const segmentLimit = 128 * 1024 * 1024

/** A block to be stored. */
export interface BlockToStore {
  /** The name it is found under. */
  key: Uint8Array
  /** Remembered with the name; a second label for the same key is kept beside the first. */
  label: Uint8Array
  data: Uint8Array
  session?: BlockSession | undefined
}

/** A block with its key as a text, for maps. */
export interface PlannedBlock extends BlockToStore {
  text: string
}

/** What has to be written so that a number of blocks is stored. */
export interface WritePlan {
  /** What to append, by segment. */
  appends: Map<number, { position: number; records: RecordBuffers }>
  changes: IndexChange[]
  segments: Map<number, SegmentRow>
  activeSegment: number
}

/** The writer's view of the store while it plans. */
export interface PlanContext {
  lookUp: (key: Uint8Array) => BlockRow | undefined
  segments: ReadonlyMap<number, SegmentRow>
  activeSegment: number
  /** Segments that are given up: a block that lies in one of them is stored anew. */
  givenUp?: ReadonlySet<number> | undefined
}

interface PlannedRow {
  key: Uint8Array
  row: BlockRow
  changed: boolean
  isAppended: boolean
}

const emptySegment: SegmentRow = { committedLength: 0, liveBlocks: 0, liveBytes: 0 }

/** Plans the storing of blocks: what is stored already is only touched, and gains a label if need be. */
export function planWrite(blocks: PlannedBlock[], context: PlanContext): WritePlan {
  const rows = new Map<string, PlannedRow>()
  const segments = new Map<number, SegmentRow>()
  const appends: WritePlan['appends'] = new Map()
  let activeSegment = context.activeSegment

  for (const block of blocks) {
    let entry = rows.get(block.text)
    if (entry === undefined) {
      const stored = context.lookUp(block.key)
      const { key } = block
      if (stored === undefined) entry = { key, row: append(block), changed: true, isAppended: true }
      else if (context.givenUp?.has(stored.segment)) {
        entry = { key, row: move(block, stored), changed: true, isAppended: true }
      } else entry = { key, row: stored, changed: false, isAppended: false }
      rows.set(block.text, entry)
    }
    // What is appended lies behind the place at which the session began, and is protected by that.
    if (!entry.isAppended) block.session?.touch(block.key)
    const { labels } = entry.row
    if (labels[0] !== block.label && !labels.some((label) => Buffer.compare(label, block.label) === 0)) {
      entry.row.labels.push(block.label)
      entry.changed = true
    }
  }

  function append(block: BlockToStore): BlockRow {
    const recordLength = recordHeadLength(block) + block.data.length
    let segment = segmentOf(activeSegment)
    if (segment.committedLength + recordLength > segmentLimit && segment.committedLength > 0) {
      activeSegment++
      segment = segmentOf(activeSegment)
    }
    let part = appends.get(activeSegment)
    if (part === undefined) {
      part = { position: segment.committedLength, records: new RecordBuffers() }
      appends.set(activeSegment, part)
    }
    part.records.add(block, block.data)
    const end = segment.committedLength + recordLength
    segments.set(activeSegment, {
      committedLength: end,
      liveBlocks: segment.liveBlocks + 1,
      liveBytes: segment.liveBytes + recordLength,
    })
    const { length } = block.data
    return { segment: activeSegment, offset: end - length, length, labels: [block.label] }
  }

  function move(block: BlockToStore, stored: BlockRow): BlockRow {
    const old = segmentOf(stored.segment)
    segments.set(stored.segment, {
      committedLength: old.committedLength,
      liveBlocks: old.liveBlocks - 1,
      liveBytes:
        old.liveBytes -
        recordHeadLength({ key: block.key, label: stored.labels[0] ?? block.label }) -
        stored.length,
    })
    return { ...append(block), labels: stored.labels }
  }

  function segmentOf(number: number): SegmentRow {
    return segments.get(number) ?? context.segments.get(number) ?? emptySegment
  }

  const changes: IndexChange[] = []
  for (const { key, row, changed } of rows.values()) {
    if (changed) changes.push({ type: 'put', key: rowKey(rowKind.block, key), value: encodeBlockRow(row) })
  }
  for (const [number, row] of segments) {
    changes.push({ type: 'put', key: segmentRowKey(number), value: encodeSegmentRow(row) })
  }
  return { appends, changes, segments, activeSegment }
}
