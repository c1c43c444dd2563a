import type { Level } from './level.js'
import type { Entry, RangeOptions, Walk } from './walk.js'

const FIRST_BATCH = 4
const MAX_BATCH = 1024
const HIGH_WATER_MARK_BYTES = 1024 * 1024

/**
 * Walk over one LevelDB, for use in joins of sorted lists.
 *
 * Fetches entries in batches that grow while the walk proceeds without a jump. A jump within the fetched batch costs
 * no read.
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
    this.#batchSize = Math.min(this.#batchSize * 4, MAX_BATCH)
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
