import { latin1 } from '../../encoding/hex.js'
import { LargeSet } from '../../encoding/largeMap.js'
import type { BatchOperation } from '../memTable.js'
import {
  type BlockLocation,
  type BlockRow,
  type RecordName,
  type SegmentRow,
  encodeBlockRow,
  encodeSegmentRow,
  recordHeadLength,
  rowKey,
  rowKind,
  segmentRowKey,
  writeRecordHead,
} from './rows.js'

/** Maximum length of a segment: a block that would exceed it starts a new one. */
const SEGMENT_LIMIT = 128 * 1024 * 1024

/** Maximum number of labels of a block, as they are compared one by one. Real blocks have one or two. */
const MAX_LABELS = 64

/** Block to store. */
export interface BlockToStore {
  /** Key of the block in the index. */
  key: Uint8Array
  /** Kept with the key; a second label for the same key is added to the first, up to {@link MAX_LABELS}. */
  label: Uint8Array
  data: Uint8Array
  session?: BlockSession | undefined
}

/** Block with its key as text, for maps. */
export interface PlannedBlock extends BlockToStore {
  text: string
}

/** Writes needed to store a number of blocks. */
export interface WritePlan {
  /** Records to append, by segment. */
  appends: Map<number, { position: number; records: RecordBuffers }>
  changes: BatchOperation[]
  segments: Map<number, SegmentRow>
  activeSegment: number
}

/** The writer's view of the store while it plans. */
export interface PlanContext {
  lookUp: (key: Uint8Array) => BlockRow | undefined
  segments: ReadonlyMap<number, SegmentRow>
  activeSegment: number
  /** Segments being given up: a block that lies in one of them is stored again. */
  rewritten?: ReadonlySet<number> | undefined
}

interface PlannedRow {
  key: Uint8Array
  row: BlockRow
  changed: boolean
  isAppended: boolean
}

const emptySegment: SegmentRow = { committedLength: 0, liveBlocks: 0, liveBytes: 0 }

/** Plans how to store blocks. A block already stored is only touched, and gains the label if new. */
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
      else if (context.rewritten?.has(stored.segment)) {
        entry = { key, row: move(block, stored), changed: true, isAppended: true }
      } else entry = { key, row: stored, changed: false, isAppended: false }
      rows.set(block.text, entry)
    }
    // An appended block lies after the start of the session, which already protects it.
    if (!entry.isAppended) block.session?.touch(block.key)
    const { labels } = entry.row
    if (labels[0] === block.label || labels.length >= MAX_LABELS) continue
    if (labels.some((label) => Buffer.compare(label, block.label) === 0)) continue
    labels.push(block.label)
    entry.changed = true
  }

  function append(block: BlockToStore): BlockRow {
    const recordLength = recordHeadLength(block) + block.data.length
    let segment = segmentOf(activeSegment)
    if (segment.committedLength + recordLength > SEGMENT_LIMIT && segment.committedLength > 0) {
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
    segments.set(stored.segment, withoutBlock(segmentOf(stored.segment), block.key, stored))
    return { ...append(block), labels: stored.labels }
  }

  function segmentOf(number: number): SegmentRow {
    return segments.get(number) ?? context.segments.get(number) ?? emptySegment
  }

  const changes: BatchOperation[] = []
  for (const { key, row, changed } of rows.values()) {
    if (changed) changes.push({ key: rowKey(rowKind.block, key), value: encodeBlockRow(row) })
  }
  for (const [number, row] of segments) {
    changes.push({ key: segmentRowKey(number), value: encodeSegmentRow(row) })
  }
  return { appends, changes, segments, activeSegment }
}

/** Returns the statistics of a segment after removing a block from it. */
export function withoutBlock(segment: SegmentRow, key: Uint8Array, { labels, length }: BlockRow): SegmentRow {
  const recordLength = recordHeadLength({ key, label: labels[0] ?? new Uint8Array() }) + length
  return {
    committedLength: segment.committedLength,
    liveBlocks: segment.liveBlocks - 1,
    liveBytes: segment.liveBytes - recordLength,
  }
}

/** Data up to this size is copied after its head, which is cheaper than a separate buffer in the write. */
const COPIED_LIMIT = 16_384
const FIRST_PAGE_LENGTH = 1024
const MAX_PAGE_LENGTH = 65_536

/** Collects records to append as buffers for a single write. */
class RecordBuffers {
  readonly #buffers: Uint8Array[] = []
  #page: Buffer = Buffer.alloc(0)
  /** Start and end of the bytes in the page that are not yet among the buffers. */
  #start = 0
  #end = 0

  add(name: RecordName, data: Uint8Array): void {
    const isCopied = data.length <= COPIED_LIMIT
    const length = recordHeadLength(name) + (isCopied ? data.length : 0)
    if (this.#end + length > this.#page.length) this.#turnPage(length)
    this.#end = writeRecordHead(name, data.length, { bytes: this.#page, position: this.#end })
    if (isCopied) {
      this.#page.set(data, this.#end)
      this.#end += data.length
      return
    }
    this.#cut()
    this.#buffers.push(data)
  }

  /** Returns the buffers, in order. */
  take(): Uint8Array[] {
    this.#cut()
    return this.#buffers
  }

  #turnPage(length: number): void {
    this.#cut()
    this.#page = Buffer.allocUnsafeSlow(
      Math.max(Math.min(2 * this.#page.length, MAX_PAGE_LENGTH), FIRST_PAGE_LENGTH, length),
    )
    this.#start = 0
    this.#end = 0
  }

  #cut(): void {
    if (this.#end > this.#start) this.#buffers.push(this.#page.subarray(this.#start, this.#end))
    this.#start = this.#end
  }
}

/**
 * Blocks that a running operation relies on. Removals spare every block stored after the session began, and every
 * block that the session touched, including those it found already stored.
 */
export class BlockSession {
  readonly #startedAt: number
  /** Undefined until a block is touched. */
  #touched: LargeSet | undefined
  readonly #end: (session: BlockSession) => void

  /** @param startedAt - see {@link linearPosition} */
  constructor(startedAt: number, end: (session: BlockSession) => void) {
    this.#startedAt = startedAt
    this.#end = end
  }

  /** Protects a block that may already be stored. */
  touch(key: Uint8Array): void {
    this.#touched ??= new LargeSet()
    this.#touched.add(latin1(key))
  }

  protects(key: Uint8Array, location: BlockLocation): boolean {
    // A location follows the head of its record, so it equals the start only if an empty block was stored before.
    return linearPosition(location) > this.#startedAt || this.#touched?.has(latin1(key)) === true
  }

  end(): void {
    this.#end(this)
  }
}

/** Open sessions, and the blocks that a removal must spare for them. */
export class BlockSessions {
  readonly #sessions = new Set<BlockSession>()
  readonly #endedDuringRemoval = new Set<BlockSession>()
  #removals = 0

  /** @param end - position of the next block to be appended */
  open(end: Omit<BlockLocation, 'length'>): BlockSession {
    const session = new BlockSession(linearPosition(end), () => {
      if (this.#removals === 0) this.#sessions.delete(session)
      else this.#endedDuringRemoval.add(session)
    })
    this.#sessions.add(session)
    return session
  }

  /** Until the removal ends, sessions that end keep protecting their blocks. */
  openRemoval(end: Omit<BlockLocation, 'length'>): BlockSession {
    const removal = new BlockSession(linearPosition(end), () => {
      this.#sessions.delete(removal)
      if (--this.#removals > 0) return
      for (const ended of this.#endedDuringRemoval) this.#sessions.delete(ended)
      this.#endedDuringRemoval.clear()
    })
    this.#sessions.add(removal)
    this.#removals++
    return removal
  }

  isProtected(key: Uint8Array, location: BlockLocation): boolean {
    for (const session of this.#sessions) if (session.protects(key, location)) return true
    return false
  }
}

/** Maps a position in the segments to a number that only grows: segments are numbered and appended to in order. */
function linearPosition({ segment, offset }: Omit<BlockLocation, 'length'>): number {
  return segment * 2 ** 32 + offset
}
