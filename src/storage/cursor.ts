import type { Level } from './level.js'

/** A stored key and its value. */
export type Entry = [key: Uint8Array, value: Uint8Array]

/** A half-open range of keys, in their order as bytes. */
export interface KeyBounds {
  /** First key. */
  gte: Uint8Array
  /** Key behind the last one. */
  lt: Uint8Array
}

/** Which entries are walked. */
export interface RangeOptions extends KeyBounds {
  /** From the last to the first; keys come in descending order. */
  reverse?: boolean
  limit?: number
}

const FIRST_BATCH = 4
const LARGEST_BATCH = 1024
const HIGH_WATER_MARK_BYTES = 1024 * 1024

/** A walk over a range, as the database was when it was opened, that can jump forward. */
export interface Walk {
  /** The next entry, or undefined behind the last one. */
  next(): Promise<Entry | undefined>
  /**
   * Goes on at the first entry whose key is not before `key` in the direction of the walk. Only forward: a key
   * that the walk has passed leaves it where it is.
   */
  seek(key: Uint8Array): void
  close(): Promise<void>
}

/**
 * A walk over LevelDB alone: what joins of sorted lists are made of.
 *
 * Entries are fetched in batches that grow while the walk goes on without a jump; a jump within the fetched batch
 * touches nothing.
 */
export class Cursor implements Walk {
  readonly #iterator: ReturnType<typeof openIterator>
  readonly #direction: 1 | -1
  #batch: Entry[] = []
  #position = 0
  #batchSize = FIRST_BATCH

  constructor(level: Level, range: RangeOptions) {
    this.#iterator = openIterator(level, range)
    this.#direction = range.reverse === true ? -1 : 1
  }

  async next(): Promise<Entry | undefined> {
    if (this.#position === this.#batch.length) await this.#fetch()
    return this.#batch[this.#position++]
  }

  seek(key: Uint8Array): void {
    const last = this.#batch.at(-1)
    if (last !== undefined && this.#isBefore(key, last[0])) {
      this.#position = this.#firstNotBefore(key)
      return
    }
    if (last !== undefined && Buffer.compare(last[0], key) === 0) {
      this.#position = Math.max(this.#position, this.#batch.length - 1)
      return
    }
    this.#iterator.seek(key)
    this.#batch = []
    this.#position = 0
    this.#batchSize = FIRST_BATCH
  }

  async close(): Promise<void> {
    await this.#iterator.close()
  }

  async #fetch(): Promise<void> {
    this.#batch = await this.#iterator.nextv(this.#batchSize)
    this.#position = 0
    this.#batchSize = Math.min(this.#batchSize * 4, LARGEST_BATCH)
  }

  #isBefore(a: Uint8Array, b: Uint8Array): boolean {
    return Buffer.compare(a, b) * this.#direction < 0
  }

  #firstNotBefore(key: Uint8Array): number {
    let low = this.#position
    let high = this.#batch.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const entry = this.#batch[middle]
      if (entry !== undefined && this.#isBefore(entry[0], key)) low = middle + 1
      else high = middle
    }
    return low
  }
}

function openIterator(level: Level, { gte, lt, reverse = false, limit = -1 }: RangeOptions) {
  return level.iterator({ gte, lt, reverse, limit, highWaterMarkBytes: HIGH_WATER_MARK_BYTES })
}

/** The entries of a walk, one by one; the walk is closed behind them. */
export async function* entriesOf(walk: Walk): AsyncGenerator<Entry, void, undefined> {
  try {
    for (let entry = await walk.next(); entry !== undefined; entry = await walk.next()) yield entry
  } finally {
    await walk.close()
  }
}
