import type { Database, WriteBatch } from '../../storage/database.js'
import { type Keyspace, decodeOrdinal, encodeOrdinal, ordinalOfKey } from '../../storage/keyspace.js'

/** Ordinals from one to another, which is not included. */
interface OrdinalRange {
  from: number
  to: number
}

/**
 * The blocks that reverts to snapshots removed: whatever was stored after a snapshot, on whichever branch, is as if it had
 * never been. They stay stored, and are not found by their hashes any more.
 *
 * A removal reaches to the newest block of its time, so that it swallows or continues the ranges at the end: there are no
 * more ranges than blocks that stayed.
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
   * Puts a removal into a batch.
   *
   * @param range - no block behind it was removed before
   * @returns makes it count, once the batch is written
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
