import { join } from 'node:path'
import { Level as LevelDatabase } from 'level'
import { DataDirectoryError } from './errors.js'
import { checkLevelFiles, type UncheckedTables } from './levelFiles.js'
import { isTrieNodeKey, type KeyRange, RECORD_END_KEY } from './keyspace.js'
import type { Overlay } from './overlay.js'

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
    const levels = new Levels(
      createLevel(rows, ROW_BUFFER_BYTES),
      createLevel(nodes, NODE_BUFFER_BYTES),
      unchecked,
    )
    const opened = await Promise.allSettled([levels.rows.open(), levels.nodes.open()])
    for (const result of opened) {
      if (result.status === 'fulfilled') continue
      await levels.close()
      const { reason: error } = result as { reason: Error }
      const reason = error.cause instanceof Error ? error.cause.message : String(error)
      throw new DataDirectoryError(`Could not open the database in ${directory}: ${reason}`, { cause: error })
    }
    return levels
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
    await Promise.all([this.rows.open(), this.nodes.open()])
  }

  async close(): Promise<void> {
    await Promise.all([this.rows.close(), this.nodes.close()])
  }
}

function createLevel(location: string, writeBufferSize: number): Level {
  return new LevelDatabase(location, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    multithreading: true,
    maxOpenFiles: MAX_OPEN_FILES,
    writeBufferSize,
    cacheSize: LEVEL_CACHE_BYTES,
    // Most of what is stored are hashes, which do not compress.
    compression: false,
  })
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
  overlay: Overlay,
  { sync, changes }: { sync: boolean; changes: (key: Uint8Array) => void },
): Promise<void> {
  let rowBatch = rows.batch()
  let nodeBatch = nodes.batch()
  for (const { key, value } of overlay.operations()) {
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
  end.writeDoubleLE(overlay.recordEnd)
  await rowBatch.put(RECORD_END_KEY, end).write({ sync })
}
