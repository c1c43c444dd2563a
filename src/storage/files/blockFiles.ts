import { join } from 'node:path'
import { plainBytes } from '../../encoding/hex.js'
import { Mutex } from '../../encoding/timeSlice.js'
import { createDirectory } from '../directories.js'
import { DamagedBlockError } from '../errors.js'
import {
  type BlockSession,
  type BlockToStore,
  type PlannedBlock,
  createSessions,
  keyText,
  planWrite,
} from './batch.js'
import { rewriteSegments, segmentsToGiveUp } from './compaction.js'
import {
  type IndexChange,
  type IndexDatabase,
  type RecordStore,
  applyChanges,
  createRecordStore,
  openIndexDatabase,
} from './indexDatabase.js'
import { type BlockCheck, recoverSegments } from './recovery.js'
import {
  type BlockRow,
  type SegmentRow,
  decodeBlockRow,
  encodeSegmentRow,
  recordHeadLength,
  rowKey,
  rowKind,
  rowRange,
  segmentRowKey,
} from './rows.js'
import { type SegmentFiles, createSegmentFiles } from './segmentFiles.js'
import { type LentBlock, createSharedMemory } from './sharedMemory.js'

/** Bytes written at once, at most, however many blocks wait. */
const roundLimit = 8 * 1024 * 1024
/** Blocks below this size are read into memory of their own. */
const smallestShared = 65_536

/** A block as it is stored, without its bytes. */
export interface StoredBlock {
  key: Uint8Array
  labels: Uint8Array[]
  /** Number of bytes of the block. */
  length: number
}

/** The removal of blocks that nobody needs. */
export interface BlockRemoval {
  /** Removes blocks, except those that a session protects, and returns those that were removed. */
  remove(keys: Uint8Array[]): Promise<StoredBlock[]>
  end(): void
}

/** Blocks in append-only segment files with an index beside them. */
export interface BlockFiles {
  openSession(): BlockSession
  openRemoval(): BlockRemoval
  /** What is stored under a key, or about to be; undefined when nothing is. */
  find(key: Uint8Array): StoredBlock | undefined
  /**
   * The bytes of a block, the caller's to keep; undefined when it is not stored.
   *
   * @throws DamagedBlockError
   */
  get(key: Uint8Array): Promise<Uint8Array | undefined>
  /** The same in memory that is shared and used again; undefined when the block is not stored. */
  lend(key: Uint8Array): Promise<LentBlock | undefined>
  /** Whether readers may borrow blocks before they need them: not while much memory is lent out. */
  mayReadAhead(): boolean
  /**
   * Stores a block; settled once it survives the end of the process. Blocks that are written together have one
   * promise; they are written in the order in which they were put.
   */
  put(block: BlockToStore): Promise<void>
  /** Every block, in the order of the keys. */
  entries(): AsyncIterable<StoredBlock>
  /** Rewrites the segments in which removals have left holes, and so frees their space. */
  compact(): Promise<void>
  /** Number of blocks, and of bytes that their files take. */
  totals(): { blocks: number; bytes: number }
  /** Waits until everything that was put is stored. */
  settle(): Promise<void>
}

/** Blocks that are written together. */
interface WriteRound {
  blocks: PlannedBlock[]
  bytes: number
  /** Settled once the blocks survive the end of the process. */
  stored: Promise<void>
}

/** Opens the blocks, after bringing files and index to the same state. */
export async function openBlockFiles(options: {
  database: IndexDatabase
  files: SegmentFiles
  /** Whether a write waits for the disk itself before it is acknowledged. */
  sync: boolean
  isIntact: BlockCheck
}): Promise<BlockFiles> {
  const { database, files, sync, isIntact } = options
  const segments = await recoverSegments({ database, files, isIntact })
  const lastSegment = Math.max(1, ...segments.keys())
  let activeSegment = files.isShared(lastSegment) ? lastSegment + 1 : lastSegment
  const lengthOf = (segment: number): number => segments.get(segment)?.committedLength ?? 0
  /** What lies before was written by another process, and is checked when it is read. */
  const opened = { segment: activeSegment, offset: lengthOf(activeSegment) }
  const sessions = createSessions(() => ({ segment: activeSegment, offset: lengthOf(activeSegment) }))
  const mutex = new Mutex()
  const reading = createSharedMemory()
  const unwritten = new Map<string, PlannedBlock>()
  /** The round that takes blocks until its turn to be written comes. */
  let open: WriteRound | undefined

  function lookUp(key: Uint8Array): BlockRow | undefined {
    const value = database.getSync(rowKey(rowKind.block, key))
    return value === undefined ? undefined : decodeBlockRow(value)
  }

  function openRound(): WriteRound {
    const round: WriteRound = { blocks: [], bytes: 0, stored: Promise.resolve() }
    round.stored = mutex.run(() => writeRound(round))
    open = round
    return round
  }

  async function writeRound(round: WriteRound): Promise<void> {
    if (open === round) open = undefined
    try {
      await write(round.blocks)
    } finally {
      for (const block of round.blocks) {
        if (unwritten.get(block.text) === block) unwritten.delete(block.text)
      }
    }
  }

  async function write(blocks: PlannedBlock[], givenUp?: ReadonlySet<number>): Promise<void> {
    const plan = planWrite(blocks, { lookUp, segments, activeSegment, givenUp })
    for (const [segment, { position, records }] of plan.appends) {
      await files.write(segment, position, records.take())
      if (sync) await files.flush(segment)
    }
    await applyChanges(database, plan.changes, { sync })
    for (const [segment, row] of plan.segments) segments.set(segment, row)
    activeSegment = plan.activeSegment
  }

  async function remove(keys: Uint8Array[]): Promise<StoredBlock[]> {
    const removed: StoredBlock[] = []
    const changes: IndexChange[] = []
    const changed = new Map<number, SegmentRow>()
    // A key may come once for each label of its block; the index has it until all changes are written.
    for (const key of new Map(keys.map((key) => [keyText(key), key])).values()) {
      const row = lookUp(key)
      const segment = row && (changed.get(row.segment) ?? segments.get(row.segment))
      if (row === undefined || segment === undefined || sessions.isProtected(key, row)) continue
      const label = row.labels[0] ?? new Uint8Array()
      changed.set(row.segment, {
        committedLength: segment.committedLength,
        liveBlocks: segment.liveBlocks - 1,
        liveBytes: segment.liveBytes - recordHeadLength({ key, label }) - row.length,
      })
      changes.push({ type: 'del', key: rowKey(rowKind.block, key) })
      removed.push({ key, labels: row.labels, length: row.length })
    }
    for (const [number, row] of changed) {
      changes.push({ type: 'put', key: segmentRowKey(number), value: encodeSegmentRow(row) })
    }
    await applyChanges(database, changes, { sync })
    for (const [number, row] of changed) segments.set(number, row)
    return removed
  }

  /** @throws DamagedBlockError */
  async function readAt(key: Uint8Array, row: BlockRow, memory: Uint8Array): Promise<Uint8Array> {
    const bytes = await readMoved(key, row, memory)
    const isOld =
      row.segment < opened.segment || (row.segment === opened.segment && row.offset < opened.offset)
    if (isOld && !(await isIntact(key, bytes))) throw new DamagedBlockError('a stored block is damaged')
    return bytes
  }

  /** Reads a block that was found at a place; a collection may have moved it since. */
  async function readMoved(key: Uint8Array, row: BlockRow, memory: Uint8Array): Promise<Uint8Array> {
    try {
      return await files.read(row.segment, row.offset, memory)
    } catch (error) {
      const moved = lookUp(key)
      if (moved === undefined || moved.segment === row.segment) throw error
      return files.read(moved.segment, moved.offset, memory)
    }
  }

  async function get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const pending = unwritten.get(keyText(key))
    if (pending) return Uint8Array.from(pending.data)
    const row = lookUp(key)
    if (row === undefined) return undefined
    try {
      return await readAt(key, row, plainBytes(Buffer.allocUnsafeSlow(row.length)))
    } catch (error) {
      if (lookUp(key) === undefined) return undefined
      throw error
    }
  }

  async function lend(key: Uint8Array): Promise<LentBlock | undefined> {
    const text = keyText(key)
    const row = unwritten.has(text) ? undefined : lookUp(key)
    if (row === undefined || row.length < smallestShared) {
      const bytes = await get(key)
      return bytes && { bytes, giveBack: () => undefined }
    }
    try {
      return await reading.lend(text, row.length, (memory) => readAt(key, row, memory))
    } catch (error) {
      if (lookUp(key) === undefined) return undefined
      throw error
    }
  }

  return {
    openSession: () => sessions.open(),
    openRemoval() {
      const removal = sessions.openRemoval()
      return { remove: (keys) => mutex.run(() => remove(keys)), end: () => removal.end() }
    },
    find(key) {
      const pending = unwritten.get(keyText(key))
      if (pending) return { key, labels: [pending.label], length: pending.data.length }
      const row = lookUp(key)
      return row && { key, labels: row.labels, length: row.length }
    },
    get,
    lend,
    mayReadAhead: () => reading.mayReadAhead(),
    put({ key, label, data, session }) {
      const round = open === undefined || open.bytes >= roundLimit ? openRound() : open
      // Not a copy of what was given with a member more: V8 finds nothing in such a copy fast.
      const planned: PlannedBlock = { key, label, data, session, text: keyText(key) }
      if (!unwritten.has(planned.text)) unwritten.set(planned.text, planned)
      round.blocks.push(planned)
      round.bytes += data.length
      return round.stored
    },
    async *entries() {
      for await (const [key, value] of database.iterator(rowRange(rowKind.block))) {
        const row = decodeBlockRow(value)
        yield { key: Uint8Array.from(key.subarray(1)), labels: row.labels, length: row.length }
      }
    },
    compact: () =>
      mutex.run(async () => {
        const givenUp = segmentsToGiveUp(segments)
        if (givenUp.has(activeSegment)) activeSegment++
        await rewriteSegments({
          database,
          files,
          segments,
          givenUp,
          isIntact,
          write: (blocks) =>
            write(
              blocks.map((block) => ({ ...block, text: keyText(block.key) })),
              givenUp,
            ),
        })
      }),
    totals() {
      let blocks = 0
      let bytes = 0
      for (const row of segments.values()) {
        blocks += row.liveBlocks
        bytes += row.committedLength
      }
      return { blocks, bytes }
    },
    settle: () => mutex.run(async () => undefined),
  }
}

/** Everything the file network keeps on disk. */
export interface FileStore {
  blocks: BlockFiles
  pins: RecordStore
  /** Single values by name. */
  named: RecordStore
  /** Waits for writes under way and closes all files. */
  close(): Promise<void>
}

/**
 * Opens the store of the file network: `blocks/` has the segment files, `index/` a LevelDB database.
 *
 * @throws an error with code `LEVEL_LOCKED` (as the cause) when another process has the directory open.
 */
export async function openFileStore(options: {
  /** Created when it does not exist. */
  directory: string
  /** Whether a write waits for the disk itself before it is acknowledged: survives loss of power. */
  sync: boolean
  isIntact: BlockCheck
}): Promise<FileStore> {
  const { directory, sync, isIntact } = options
  const blocksDirectory = join(directory, 'blocks')
  createDirectory(blocksDirectory)
  const database = await openIndexDatabase(join(directory, 'index'))
  const files = createSegmentFiles(blocksDirectory)
  const blocks = await openBlockFiles({ database, files, sync, isIntact }).catch(async (error: unknown) => {
    await files.close()
    await database.close()
    throw error
  })
  return {
    blocks,
    pins: createRecordStore({ database, kind: rowKind.pin, sync }),
    named: createRecordStore({ database, kind: rowKind.named, sync }),
    async close() {
      await blocks.settle()
      await files.close()
      await database.close()
    },
  }
}
