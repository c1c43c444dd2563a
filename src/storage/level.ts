import { Level as LevelDatabase } from 'level'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirectoryError } from './errors.js'
import { type KeyRange, RECORD_END_KEY, isTrieNodeKey } from './keyspace.js'
import { type UncheckedTables, checkLevelFiles } from './levelFiles.js'
import { MemTable } from './memTable.js'
import { AppendFile } from './segmentFiles.js'

/** A LevelDB with bytes for keys and values. */
export type Level = LevelDatabase<Uint8Array, Uint8Array>

/** LevelDB maps the files that it holds open into memory; 74 is the least that it takes. */
const MAX_OPEN_FILES = 74
/** LevelDB's blocks that stay in memory; the files are mapped besides. */
const LEVEL_CACHE_BYTES = 2 * 1024 * 1024
/**
 * What LevelDB collects before it writes a table, twice over while it does so. Rows of indexes are small. Nodes come in
 * the order of their keys, so their tables are never merged and stay as they were written.
 */
const ROW_BUFFER_BYTES = 1024 * 1024
const NODE_BUFFER_BYTES = 2 * 1024 * 1024
/** Few enough that other work has its turn between two batches. */
const OPERATIONS_PER_BATCH = 500

interface Compactable {
  compactRange(start: Uint8Array, end: Uint8Array): Promise<void>
}

/** The two LevelDB databases of a data directory. */
export class Levels {
  /** Everything but trie nodes. */
  readonly rows: Level
  /** Trie nodes, whose keys only grow: among rows with keys of all kinds they would be merged again and again. */
  readonly nodes: Level
  readonly #unchecked: readonly UncheckedTables[]

  private constructor(rows: Level, nodes: Level, unchecked: readonly UncheckedTables[]) {
    this.rows = rows
    this.nodes = nodes
    this.#unchecked = unchecked
  }

  /** @throws DataDirectoryError if another process has them open, or a file is damaged. */
  static async open(directory: string): Promise<Levels> {
    const rows = join(directory, 'leveldb')
    const nodes = join(directory, 'nodes')
    const unchecked = [await checkLevelFiles(rows), await checkLevelFiles(nodes)]
    // One after the other: of two processes that open them at once, the one that gets the first gets both.
    const rowsLevel = await openLevel(rows, ROW_BUFFER_BYTES)
    try {
      return new Levels(rowsLevel, await openLevel(nodes, NODE_BUFFER_BYTES), unchecked)
    } catch (error) {
      await rowsLevel.close()
      throw error
    }
  }

  /** The one that holds a key. */
  of(key: Uint8Array): Level {
    return isTrieNodeKey(key) ? this.nodes : this.rows
  }

  /** Rewrites a range of keys of one kind without what was deleted, which frees its space. */
  async compact({ gte, lt }: KeyRange): Promise<void> {
    // What level exports on Node is classic-level; its types leave out what browsers lack.
    await (this.of(gte) as Level & Compactable).compactRange(gte, lt)
  }

  /**
   * Checks the files that were not checked when the databases were opened.
   *
   * @throws DataDirectoryError if one is damaged.
   */
  async checkRest(signal: AbortSignal): Promise<void> {
    for (const tables of this.#unchecked) await tables.check(signal)
  }

  /** Opens both anew, which ends walks that are under way. */
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
 * Opens a database, which is created if it is not there.
 *
 * @throws DataDirectoryError with the reason that LevelDB gives.
 */
export async function openLevel(location: string, writeBufferSize: number): Promise<Level> {
  // Made only where it is opened at once: the library opens one that it made at the next tick by itself.
  const level: Level = new LevelDatabase(location, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    multithreading: true,
    maxOpenFiles: MAX_OPEN_FILES,
    writeBufferSize,
    cacheSize: LEVEL_CACHE_BYTES,
    // Most of what is stored are hashes, which do not compress.
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
 * Brings what was written to LevelDB, in several batches: the write-ahead file, which stays until the last one, makes
 * them one. Each of them waits for the medium where writes do: LevelDB may begin another log between two of them, and
 * leaves the old one unsynced.
 *
 * @param changes - told of each key before LevelDB has its new value
 */
export async function writeToLevel(
  { rows, nodes }: Levels,
  memTable: MemTable,
  { sync, changes }: { sync: boolean; changes: (key: Uint8Array) => void },
): Promise<void> {
  let rowBatch = rows.batch()
  let nodeBatch = nodes.batch()
  for (const { key, value } of memTable.operations()) {
    const batch = isTrieNodeKey(key) ? nodeBatch : rowBatch
    if (batch === rowBatch) changes(key)
    if (value === undefined) batch.del(key)
    else batch.put(key, value)
    if (batch.length < OPERATIONS_PER_BATCH) continue
    await batch.write({ sync })
    if (batch === rowBatch) rowBatch = rows.batch()
    else nodeBatch = nodes.batch()
  }
  await nodeBatch.write({ sync })
  const end = Buffer.alloc(8)
  end.writeDoubleLE(memTable.recordEnd)
  await rowBatch.put(RECORD_END_KEY, end).write({ sync })
}

/** The path of a write-ahead file; each has the next generation of the one before. */
export function writeAheadPath(directory: string, generation: number): string {
  return join(directory, `write-ahead-${String(generation).padStart(10, '0')}.log`)
}

/** What write-ahead files hold that LevelDB does not have yet. */
export interface Recovered {
  /** The oldest first. */
  memTables: MemTable[]
  /** Up to where the record file is filled. */
  recordEnd: number
  /** Of the next file. */
  generation: number
}

/** Takes up what the write-ahead files hold; LevelDB gets it in the background, as what is written from now on. */
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

/** Bytes of a slot: the length of the key, that of the value, then both of them. */
const SLOT_BYTES = 64
const HEAD_BYTES = 2
/** The slots that a key may be in. */
const SLOTS_OF_SET = 4
const SET_BYTES = SLOT_BYTES * SLOTS_OF_SET

/**
 * Short rows as they were read, within a fixed memory: tens of thousands of rows lead to the blocks and states of a chain,
 * and as entries of a map each would take some 400 bytes.
 *
 * A table of sets with four slots each. A key belongs to one set; a row that comes to a full one takes the place of
 * another there, in turns.
 */
export class RowCache {
  readonly #bytes: Uint8Array
  readonly #setCount: number
  #turn = 0

  /** @param limitBytes - what the table takes: a power of two, 256 at least */
  constructor(limitBytes: number) {
    this.#bytes = new Uint8Array(limitBytes)
    this.#setCount = limitBytes / SET_BYTES
  }

  /** A copy of the value that is kept of a key, which has a byte at least. */
  get(key: Uint8Array): Uint8Array | undefined {
    const slot = this.#find(key)
    if (slot === undefined) return undefined
    const start = slot + HEAD_BYTES + key.length
    return this.#bytes.slice(start, start + this.#bytes[slot + 1]!)
  }

  /** Keeps a row, unless it is too long for a slot: then nothing is kept of its key. */
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

  /** Forgets what is kept of a key. */
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

  /** Where the set of a key begins, by its FNV-1a hash of 32 bits. */
  #setOf(key: Uint8Array): number {
    let hash = 0x811c9dc5
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key[i]!, 0x01000193)
    return ((hash ^ (hash >>> 15)) & (this.#setCount - 1)) * SET_BYTES
  }
}
