import { Level as LevelDatabase } from 'level'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nextTurn } from '../encoding/timeSlice.js'
import { DataDirectoryError } from './errors.js'
import { type KeyRange, RECORD_END_KEY, isTrieNodeKey } from './keyspace.js'
import { type UncheckedTables, checkLevelFiles } from './levelFiles.js'
import { MemTable } from './memTable.js'
import { AppendFile } from './segmentFiles.js'

/** LevelDB with bytes as keys and values. */
export type Level = LevelDatabase<Uint8Array, Uint8Array>

/** LevelDB maps its open files into memory; 74 is its minimum. */
const MAX_OPEN_FILES = 74
/** LevelDB's block cache; files are mapped in addition. */
const LEVEL_CACHE_BYTES = 2 * 1024 * 1024
/**
 * Bytes that LevelDB collects before it writes a table; twice that while it does. Index rows are small. Nodes arrive
 * in key order, so their tables are never merged.
 */
const ROW_BUFFER_BYTES = 1024 * 1024
const NODE_BUFFER_BYTES = 2 * 1024 * 1024
/** Few enough to let other work run between two batches. */
const OPERATIONS_PER_BATCH = 500
/** Bytes of values in a batch. A longer value is written on its own, since a batch copies it once more in one step. */
const BYTES_PER_BATCH = 1024 * 1024

interface Compactable {
  compactRange(start: Uint8Array, end: Uint8Array): Promise<void>
}

/** The two LevelDB databases of a data directory. */
export class Levels {
  /** Everything except trie nodes. */
  readonly rows: Level
  /** Trie nodes, whose keys only grow: mixed with rows of other kinds they would be merged again and again. */
  readonly nodes: Level
  readonly #unchecked: readonly UncheckedTables[]

  private constructor(rows: Level, nodes: Level, unchecked: readonly UncheckedTables[]) {
    this.rows = rows
    this.nodes = nodes
    this.#unchecked = unchecked
  }

  /** @throws DataDirectoryError if another process has them open, or a file is damaged */
  static async open(directory: string): Promise<Levels> {
    const rows = join(directory, 'leveldb')
    const nodes = join(directory, 'nodes')
    const unchecked = [await checkLevelFiles(rows), await checkLevelFiles(nodes)]
    // One after the other: if two processes open them at once, whichever gets the first gets both.
    const rowsLevel = await openLevel(rows, ROW_BUFFER_BYTES)
    try {
      return new Levels(rowsLevel, await openLevel(nodes, NODE_BUFFER_BYTES), unchecked)
    } catch (error) {
      await rowsLevel.close()
      throw error
    }
  }

  /** Returns the database that holds a key. */
  of(key: Uint8Array): Level {
    return isTrieNodeKey(key) ? this.nodes : this.rows
  }

  /** Rewrites a range of keys of one kind without deleted entries, which frees their space. */
  async compact({ gte, lt }: KeyRange): Promise<void> {
    // On Node, level exports classic-level; its types omit what browsers lack.
    await (this.of(gte) as Level & Compactable).compactRange(gte, lt)
  }

  /**
   * Checks the files that were not checked when the databases were opened.
   *
   * @throws DataDirectoryError if one is damaged
   */
  async checkRest(signal: AbortSignal): Promise<void> {
    for (const tables of this.#unchecked) await tables.check(signal)
  }

  /** Reopens both, which ends open walks. */
  async reopen(): Promise<void> {
    await this.close()
    await this.rows.open()
    await this.nodes.open()
  }

  async close(): Promise<void> {
    await Promise.all([this.rows.close(), this.nodes.close()])
  }
}

/**
 * Opens a database, creating it if missing.
 *
 * @throws DataDirectoryError with LevelDB's reason
 */
export async function openLevel(location: string, writeBufferSize: number): Promise<Level> {
  // Construct it only to open it right away: the library opens a new instance by itself on the next tick.
  const level: Level = new LevelDatabase(location, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    multithreading: true,
    maxOpenFiles: MAX_OPEN_FILES,
    writeBufferSize,
    cacheSize: LEVEL_CACHE_BYTES,
    // Most stored data are hashes, which do not compress.
    compression: false,
  })
  try {
    await level.open()
    return level
  } catch (thrown) {
    await level.close()
    const error = thrown as Error
    const reason = error.cause instanceof Error ? error.cause.message : String(error)
    throw new DataDirectoryError(`Could not open the database in ${location}: ${reason}`, { cause: error })
  }
}

/**
 * Moves a mem table to LevelDB in several batches. They count as one because the write-ahead file stays until the
 * last. With `sync`, every batch waits for the medium: LevelDB may start a new log between two batches and leave the
 * old one unsynced.
 *
 * @param changes - called with each key before LevelDB has its new value
 */
export async function writeToLevel(
  { rows, nodes }: Levels,
  memTable: MemTable,
  { sync, changes }: { sync: boolean; changes: (key: Uint8Array) => void },
): Promise<void> {
  // LevelDB copies each value in one step, which takes a while for megabytes of code that were written just now.
  await nextTurn()
  let rowBatch = rows.batch()
  let nodeBatch = nodes.batch()
  let bytes = 0
  for (const { key, value } of memTable.operations()) {
    const batch = isTrieNodeKey(key) ? nodeBatch : rowBatch
    if (batch === rowBatch) changes(key)
    if (value === undefined) batch.del(key)
    else if (value.length > BYTES_PER_BATCH)
      await (batch === rowBatch ? rows : nodes).put(key, value, { sync })
    else batch.put(key, value)
    bytes += value?.length ?? 0
    if (batch.length < OPERATIONS_PER_BATCH && bytes < BYTES_PER_BATCH) continue
    bytes = 0
    await batch.write({ sync })
    if (batch === rowBatch) rowBatch = rows.batch()
    else nodeBatch = nodes.batch()
  }
  await nodeBatch.write({ sync })
  const end = Buffer.alloc(8)
  end.writeDoubleLE(memTable.recordEnd)
  await rowBatch.put(RECORD_END_KEY, end).write({ sync })
}

/** Returns the path of a write-ahead file; each file's generation is one above its predecessor's. */
export function writeAheadPath(directory: string, generation: number): string {
  return join(directory, `write-ahead-${String(generation).padStart(10, '0')}.log`)
}

/** Content of write-ahead files that LevelDB does not have yet. */
export interface Recovered {
  /** Oldest first. */
  memTables: MemTable[]
  /** End of the record file's valid part. */
  recordEnd: number
  /** Generation of the next file. */
  generation: number
}

/** Recovers the write-ahead files; their content goes to LevelDB in the background, like new writes. */
export function recoverWriteAhead(level: Level, directory: string): Recovered {
  const stored = level.getSync(RECORD_END_KEY)
  let recordEnd = stored === undefined ? 0 : Buffer.from(stored).readDoubleLE(0)
  const generations = writeAheadGenerations(directory)
  const memTables = generations.map((generation) => {
    const path = writeAheadPath(directory, generation)
    const memTable = MemTable.recover((length) => new AppendFile({ path, length }), {
      path,
      bytes: readFileSync(path),
      recordEnd,
    })
    recordEnd = memTable.recordEnd
    return memTable
  })
  return { memTables, recordEnd, generation: (generations.at(-1) ?? -1) + 1 }
}

function writeAheadGenerations(directory: string): number[] {
  const names = readdirSync(directory).map((name) => /^write-ahead-(\d+)\.log$/.exec(name)?.[1])
  return names.flatMap((digits) => (digits === undefined ? [] : [Number(digits)])).sort((a, b) => a - b)
}

/** Bytes of a slot: key length, value length, key, value. */
const SLOT_BYTES = 64
const HEAD_BYTES = 2
/** Slots per set. */
const SLOTS_OF_SET = 4
const SET_BYTES = SLOT_BYTES * SLOTS_OF_SET

/**
 * Cache of short rows in a fixed amount of memory. Tens of thousands of rows lead to a chain's blocks and states; as
 * Map entries they would take about 400 bytes each.
 *
 * The table consists of sets with four slots. A key belongs to one set; a new row in a full set replaces another
 * there, round-robin.
 */
export class RowCache {
  readonly #bytes: Uint8Array
  readonly #setCount: number
  #turn = 0

  /** @param limitBytes - size of the table: a power of two, at least 256 */
  constructor(limitBytes: number) {
    this.#bytes = new Uint8Array(limitBytes)
    this.#setCount = limitBytes / SET_BYTES
  }

  /** Returns a copy of a key's cached value. The key must not be empty. */
  get(key: Uint8Array): Uint8Array | undefined {
    const slot = this.#find(key)
    if (slot === undefined) return undefined
    const start = slot + HEAD_BYTES + key.length
    return this.#bytes.slice(start, start + this.#bytes[slot + 1]!)
  }

  /** Caches a row. If it is too long for a slot, the key is forgotten instead. */
  keep(key: Uint8Array, value: Uint8Array): void {
    if (HEAD_BYTES + key.length + value.length > SLOT_BYTES) {
      this.forget(key)
      return
    }
    const slot = this.#find(key) ?? this.#freeSlot(key)
    this.#bytes[slot] = key.length
    this.#bytes[slot + 1] = value.length
    this.#bytes.set(key, slot + HEAD_BYTES)
    this.#bytes.set(value, slot + HEAD_BYTES + key.length)
  }

  /** Removes a key from the cache. */
  forget(key: Uint8Array): void {
    const slot = this.#find(key)
    if (slot !== undefined) this.#bytes[slot] = 0
  }

  #find(key: Uint8Array): number | undefined {
    const first = this.#setOf(key)
    for (let slot = first; slot < first + SET_BYTES; slot += SLOT_BYTES) {
      if (this.#bytes[slot] === key.length && this.#holds(slot + HEAD_BYTES, key)) return slot
    }
    return undefined
  }

  #holds(start: number, key: Uint8Array): boolean {
    for (let i = 0; i < key.length; i++) if (this.#bytes[start + i] !== key[i]) return false
    return true
  }

  #freeSlot(key: Uint8Array): number {
    const first = this.#setOf(key)
    for (let slot = first; slot < first + SET_BYTES; slot += SLOT_BYTES) {
      if (this.#bytes[slot] === 0) return slot
    }
    this.#turn = (this.#turn + 1) % SLOTS_OF_SET
    return first + this.#turn * SLOT_BYTES
  }

  /** Returns the offset of a key's set, by the key's 32-bit FNV-1a hash. */
  #setOf(key: Uint8Array): number {
    let hash = 0x811c9dc5
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key[i]!, 0x01000193)
    return ((hash ^ (hash >>> 15)) & (this.#setCount - 1)) * SET_BYTES
  }
}
