import { join } from 'node:path'
import { latin1, plainBytes } from '../../encoding/hex.js'
import { Mutex, TimeSlice } from '../../encoding/timeSlice.js'
import { DamagedBlockError } from '../errors.js'
import type { BatchOperation } from '../memTable.js'
import { SegmentFiles } from '../segmentFiles.js'
import {
  type BlockSession,
  BlockSessions,
  type BlockToStore,
  type PlannedBlock,
  planWrite,
  withoutBlock,
} from './batch.js'
import { BufferPool, type PooledBlock } from './bufferPool.js'
import { rewriteSegments, segmentsToRewrite } from './compaction.js'
import { FileIndex, RowStore } from './fileIndex.js'
import { type BlockCheck, type SegmentParts, recoverSegments } from './recovery.js'
import {
  type BlockLocation,
  type BlockRow,
  type SegmentRow,
  decodeBlockRow,
  encodeSegmentRow,
  rowKey,
  rowKind,
  segmentRowKey,
} from './rows.js'

/** Maximum bytes and blocks per write, however many are waiting: each block takes some 10 microseconds in one step. */
const BYTES_PER_ROUND = 8 * 1024 * 1024
const BLOCKS_PER_ROUND = 1024
/** Smaller blocks are read into memory of their own. */
const MIN_POOLED_LENGTH = 65_536

/** Stored block, without its bytes. */
export interface StoredBlock {
  key: Uint8Array
  labels: Uint8Array[]
  /** Length of the block in bytes. */
  length: number
}

/** Removal of unneeded blocks. */
export interface BlockRemoval {
  /** Removes blocks, except those that a session protects, and returns the removed ones. */
  remove(keys: Uint8Array[]): Promise<StoredBlock[]>
  end(): void
}

/** Blocks that are written together. */
interface WriteRound {
  blocks: PlannedBlock[]
  bytes: number
  /** Settles once the blocks survive the end of the process. */
  stored: Promise<void>
}

function isFull({ blocks, bytes }: WriteRound): boolean {
  return bytes >= BYTES_PER_ROUND || blocks.length >= BLOCKS_PER_ROUND
}

/** Blocks in append-only segment files, with an index. */
export class BlockFiles {
  readonly #parts: SegmentParts
  readonly #sync: boolean
  readonly #segments: Map<number, SegmentRow>
  #activeSegment: number
  /** Blocks before this position were written by another process, and are verified when read. */
  readonly #openedEnd: Omit<BlockLocation, 'length'>
  readonly #sessions = new BlockSessions()
  readonly #mutex = new Mutex()
  readonly #pool = new BufferPool()
  readonly #unwritten = new Map<string, PlannedBlock>()
  /** Round that accepts blocks until its turn to be written comes. */
  #open: WriteRound | undefined

  private constructor(parts: SegmentParts, segments: Map<number, SegmentRow>, sync: boolean) {
    const lastSegment = Math.max(1, ...segments.keys())
    this.#parts = parts
    this.#sync = sync
    this.#segments = segments
    this.#activeSegment = parts.files.isShared(lastSegment) ? lastSegment + 1 : lastSegment
    this.#openedEnd = this.#end
  }

  /**
   * Opens the store after reconciling files and index.
   *
   * @param options.sync - whether a write waits for the disk before it is acknowledged
   */
  static async open(parts: SegmentParts, { sync }: { sync: boolean }): Promise<BlockFiles> {
    return new BlockFiles(parts, await recoverSegments(parts), sync)
  }

  openSession(): BlockSession {
    return this.#sessions.open(this.#end)
  }

  openRemoval(): BlockRemoval {
    const removal = this.#sessions.openRemoval(this.#end)
    return { remove: (keys) => this.#mutex.run(() => this.#remove(keys)), end: () => removal.end() }
  }

  /** Returns what is stored, or about to be stored, under a key; otherwise undefined. */
  find(key: Uint8Array): StoredBlock | undefined {
    const pending = this.#unwritten.get(latin1(key))
    if (pending) return { key, labels: [pending.label], length: pending.data.length }
    const row = this.#lookUp(key)
    return row && { key, labels: row.labels, length: row.length }
  }

  /**
   * Returns a copy of a block's bytes, or undefined if it is not stored.
   *
   * @throws DamagedBlockError
   */
  async get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const pending = this.#unwritten.get(latin1(key))
    if (pending) return plainBytes(pending.data).slice()
    const row = this.#lookUp(key)
    return (
      row && this.#unlessRemoved(key, this.#readAt(key, row, plainBytes(Buffer.allocUnsafeSlow(row.length))))
    )
  }

  /** Like {@link get}, but in a pooled buffer that readers share. */
  async acquire(key: Uint8Array): Promise<PooledBlock | undefined> {
    const name = latin1(key)
    const row = this.#unwritten.has(name) ? undefined : this.#lookUp(key)
    if (row === undefined || row.length < MIN_POOLED_LENGTH) {
      const bytes = await this.get(key)
      return bytes && { bytes, release: () => undefined }
    }
    return this.#unlessRemoved(
      key,
      this.#pool.acquire(name, row.length, (memory) => this.#readAt(key, row, memory)),
    )
  }

  /** Whether readers may acquire blocks before they need them: not while many bytes are acquired. */
  get mayReadAhead(): boolean {
    return this.#pool.mayReadAhead
  }

  /**
   * Stores a block. The promise settles once the block survives the end of the process. Blocks are written in the
   * order they were put; those written together share one promise.
   */
  put({ key, label, data, session }: BlockToStore): Promise<void> {
    const round = this.#open === undefined || isFull(this.#open) ? this.#openRound() : this.#open
    // Not a spread with one more member: V8 is slow to access such a copy.
    const planned: PlannedBlock = { key, label, data, session, text: latin1(key) }
    if (!this.#unwritten.has(planned.text)) this.#unwritten.set(planned.text, planned)
    round.blocks.push(planned)
    round.bytes += data.length
    return round.stored
  }

  /** Yields every block in key order. */
  async *entries(): AsyncGenerator<StoredBlock> {
    for await (const [key, value] of this.#parts.index.rows(rowKind.block)) {
      const row = decodeBlockRow(value)
      yield { key: Uint8Array.from(key.subarray(1)), labels: row.labels, length: row.length }
    }
  }

  /** Rewrites the segments in which removals have left holes, to free their space. */
  compact(): Promise<void> {
    return this.#mutex.run(async () => {
      const rewritten = segmentsToRewrite(this.#segments)
      if (rewritten.has(this.#activeSegment)) this.#activeSegment++
      await rewriteSegments(this.#parts, {
        segments: this.#segments,
        rewritten,
        write: (blocks) =>
          this.#write(
            blocks.map((block) => ({ ...block, text: latin1(block.key) })),
            rewritten,
          ),
      })
    })
  }

  /** Returns the number of blocks, and the size of their files in bytes. */
  totals(): { blocks: number; bytes: number } {
    let blocks = 0
    let bytes = 0
    for (const row of this.#segments.values()) {
      blocks += row.liveBlocks
      bytes += row.committedLength
    }
    return { blocks, bytes }
  }

  /** Waits until all blocks put so far are stored. */
  settle(): Promise<void> {
    return this.#mutex.run(async () => undefined)
  }

  /** Position of the next block to be appended. */
  get #end(): Omit<BlockLocation, 'length'> {
    const segment = this.#activeSegment
    return { segment, offset: this.#segments.get(segment)?.committedLength ?? 0 }
  }

  #lookUp(key: Uint8Array): BlockRow | undefined {
    const value = this.#parts.index.get(rowKey(rowKind.block, key))
    return value === undefined ? undefined : decodeBlockRow(value)
  }

  #openRound(): WriteRound {
    const round: WriteRound = { blocks: [], bytes: 0, stored: Promise.resolve() }
    round.stored = this.#mutex.run(() => this.#writeRound(round))
    this.#open = round
    return round
  }

  async #writeRound(round: WriteRound): Promise<void> {
    if (this.#open === round) this.#open = undefined
    try {
      await this.#write(round.blocks)
    } finally {
      for (const block of round.blocks) {
        if (this.#unwritten.get(block.text) === block) this.#unwritten.delete(block.text)
      }
    }
  }

  async #write(blocks: PlannedBlock[], rewritten?: ReadonlySet<number>): Promise<void> {
    const { files, index } = this.#parts
    const plan = planWrite(blocks, {
      lookUp: (key) => this.#lookUp(key),
      segments: this.#segments,
      activeSegment: this.#activeSegment,
      rewritten,
    })
    for (const [segment, { position, records }] of plan.appends) {
      await files.write(segment, position, records.take())
      if (this.#sync) await files.flush(segment)
    }
    await index.write(plan.changes)
    for (const [segment, row] of plan.segments) this.#segments.set(segment, row)
    this.#activeSegment = plan.activeSegment
  }

  async #remove(keys: Uint8Array[]): Promise<StoredBlock[]> {
    const removed: StoredBlock[] = []
    const changes: BatchOperation[] = []
    const changed = new Map<number, SegmentRow>()
    const slice = new TimeSlice()
    // A key may occur once per label of its block, and stays in the index until all changes are written.
    for (const key of new Map(keys.map((key) => [latin1(key), key])).values()) {
      // Thousands of sessions may protect it.
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const row = this.#lookUp(key)
      const segment = row && (changed.get(row.segment) ?? this.#segments.get(row.segment))
      if (row === undefined || segment === undefined || this.#sessions.isProtected(key, row)) continue
      changed.set(row.segment, withoutBlock(segment, key, row))
      changes.push({ key: rowKey(rowKind.block, key), value: undefined })
      removed.push({ key, labels: row.labels, length: row.length })
    }
    for (const [number, row] of changed) {
      changes.push({ key: segmentRowKey(number), value: encodeSegmentRow(row) })
    }
    await this.#parts.index.write(changes)
    for (const [number, row] of changed) this.#segments.set(number, row)
    return removed
  }

  /** @throws DamagedBlockError */
  async #readAt(key: Uint8Array, row: BlockRow, memory: Uint8Array): Promise<Uint8Array> {
    const bytes = await this.#readMoved(key, row, memory)
    const { segment, offset } = this.#openedEnd
    const isOld = row.segment < segment || (row.segment === segment && row.offset < offset)
    if (isOld && !(await this.#parts.isIntact(key, bytes)))
      throw new DamagedBlockError('a stored block is damaged')
    return bytes
  }

  /** Reads a block found at a position; a collection may have moved it since. */
  async #readMoved(key: Uint8Array, row: BlockRow, memory: Uint8Array): Promise<Uint8Array> {
    const { files } = this.#parts
    try {
      return await files.read(row.segment, row.offset, memory)
    } catch (error) {
      const moved = this.#lookUp(key)
      if (moved === undefined || moved.segment === row.segment) throw error
      return files.read(moved.segment, moved.offset, memory)
    }
  }

  /** Awaits the read of a block; returns undefined if it failed because the block was removed meanwhile. */
  async #unlessRemoved<T>(key: Uint8Array, reading: Promise<T>): Promise<T | undefined> {
    try {
      return await reading
    } catch (error) {
      if (this.#lookUp(key) === undefined) return undefined
      throw error
    }
  }
}

/** Everything the file network keeps on disk. */
export interface FileStore {
  blocks: BlockFiles
  pins: RowStore
  /** Single values by name. */
  named: RowStore
  /** Waits for pending writes and closes all files. */
  close(): Promise<void>
}

/**
 * Opens the store of the file network: segment files in `blocks/`, a LevelDB database in `index/`.
 *
 * @throws DataDirectoryError if another process has the directory open, or a file of the index is damaged
 */
export async function openFileStore(options: {
  /** Created if missing. */
  directory: string
  /** Whether a write waits for the disk before it is acknowledged, and so survives a power loss. */
  sync: boolean
  isIntact: BlockCheck
}): Promise<FileStore> {
  const { directory, sync, isIntact } = options
  const files = new SegmentFiles({ directory: join(directory, 'blocks'), digits: 8, extension: 'blocks' })
  const index = await FileIndex.open(join(directory, 'index'), { sync })
  const close = async (): Promise<void> => {
    files.close()
    await index.close()
  }
  const blocks = await BlockFiles.open({ index, files, isIntact }, { sync }).catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    blocks,
    pins: new RowStore(index, rowKind.pin),
    named: new RowStore(index, rowKind.named),
    async close() {
      await blocks.settle()
      await close()
    },
  }
}
