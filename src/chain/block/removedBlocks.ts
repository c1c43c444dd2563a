import type { Database, WriteBatch } from '../../storage/database.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'

/** A range of ordinals; `to` is exclusive. */
interface OrdinalRange {
  from: number
  to: number
}

/**
 * The blocks that reverts to snapshots have removed. Whatever was stored after a snapshot, on any branch, is treated as
 * if it never existed. It stays stored but is no longer found by hash.
 *
 * A removal reaches to the newest block at its time, so it absorbs or extends the last ranges. There are never more
 * ranges than blocks that stayed.
 */
export class RemovedBlocks {
  readonly #keys: Keyspace
  /** Disjoint and rising. */
  #ranges: readonly OrdinalRange[] = []

  private constructor(keys: Keyspace) {
    this.#keys = keys
  }

  static async open(database: Database, keys: Keyspace): Promise<RemovedBlocks> {
    const removed = new RemovedBlocks(keys)
    const ranges: OrdinalRange[] = []
    for await (const [key, value] of database.iterate(keys.removedBlocks())) {
      ranges.push({ from: ordinalOfKey(key), to: decodeOrdinal(value) })
    }
    removed.#ranges = ranges
    return removed
  }

  has(ordinal: number): boolean {
    let [low, high] = [0, this.#ranges.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      const range = this.#ranges[middle]!
      if (ordinal < range.from) high = middle
      else if (ordinal >= range.to) low = middle + 1
      else return true
    }
    return false
  }

  /**
   * Adds a removal to a batch.
   *
   * @param range - no block after it may have been removed before
   * @returns a function that makes it effective; call it once the batch is written
   */
  stage(batch: WriteBatch, { from, to }: OrdinalRange): () => void {
    if (from >= to) return () => undefined
    const kept = [...this.#ranges]
    let begin = from
    for (let last = kept.at(-1); last !== undefined && last.to >= from; last = kept.at(-1)) {
      kept.pop()
      batch.delete(this.#keys.removedBlock(last.from))
      begin = Math.min(begin, last.from)
    }
    kept.push({ from: begin, to })
    batch.put(this.#keys.removedBlock(begin), encodeOrdinal(to))
    return () => {
      this.#ranges = kept
    }
  }
}
