import { latin1 } from '../../encoding/hex.js'
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
  changes: BatchOperation[]
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

/** What is known of a segment once a block of it is no longer needed. */
export function withoutBlock(segment: SegmentRow, key: Uint8Array, { labels, length }: BlockRow): SegmentRow {
  const recordLength = recordHeadLength({ key, label: labels[0] ?? new Uint8Array() }) + length
  return {
    committedLength: segment.committedLength,
    liveBlocks: segment.liveBlocks - 1,
    liveBytes: segment.liveBytes - recordLength,
  }
}

/** Data up to this size is copied behind its head: a buffer of its own in a write costs more than that. */
const copiedLimit = 16_384
const firstPageLength = 1024
const longestPage = 65_536

/** Records to be appended, as buffers for one write. */
export class RecordBuffers {
  readonly #buffers: Uint8Array[] = []
  #page: Buffer = Buffer.alloc(0)
  /** Where in the page the bytes begin that are not yet among the buffers, and where they end. */
  #start = 0
  #end = 0

  add(name: RecordName, data: Uint8Array): void {
    const isCopied = data.length <= copiedLimit
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

  /** The buffers, one behind the other. */
  take(): Uint8Array[] {
    this.#cut()
    return this.#buffers
  }

  #turnPage(length: number): void {
    this.#cut()
    this.#page = Buffer.allocUnsafeSlow(
      Math.max(Math.min(2 * this.#page.length, longestPage), firstPageLength, length),
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
 * What a running operation relies on. Removals spare every block that was stored after the session began
 * and every block that the session touched, also where it found it already stored.
 */
export class BlockSession {
  readonly #startedAt: number
  readonly #touched = new Set<string>()
  readonly #end: (session: BlockSession) => void

  /** @param startedAt - see {@link placeOf} */
  constructor(startedAt: number, end: (session: BlockSession) => void) {
    this.#startedAt = startedAt
    this.#end = end
  }

  /** Protects a block that may already be stored. */
  touch(key: Uint8Array): void {
    this.#touched.add(keyText(key))
  }

  protects(key: Uint8Array, location: BlockLocation): boolean {
    return placeOf(location) >= this.#startedAt || this.#touched.has(keyText(key))
  }

  end(): void {
    this.#end(this)
  }
}

/** The sessions that are open, and which blocks a removal must spare for them. */
export class BlockSessions {
  readonly #sessions = new Set<BlockSession>()
  readonly #endedDuringRemoval = new Set<BlockSession>()
  #removals = 0

  /** @param end - where the next block will be appended */
  open(end: Omit<BlockLocation, 'length'>): BlockSession {
    const session = new BlockSession(placeOf(end), () => {
      if (this.#removals === 0) this.#sessions.delete(session)
      else this.#endedDuringRemoval.add(session)
    })
    this.#sessions.add(session)
    return session
  }

  /** Until it ends, sessions that end keep protecting what they relied on. */
  openRemoval(end: Omit<BlockLocation, 'length'>): BlockSession {
    const removal = new BlockSession(placeOf(end), () => {
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

/** A place in the segments as a number that only grows: segments are numbered and appended to in order. */
function placeOf({ segment, offset }: Omit<BlockLocation, 'length'>): number {
  return segment * 2 ** 32 + offset
}

/** A key as a string, for maps and sets. */
export function keyText(key: Uint8Array): string {
  return latin1(key)
}
